/**
 * How a place refuses a stored file that it has: archived by a rule of its bucket, or encrypted with a key that is
 * gone.
 */
export type Refusal = 'archived' | 'unreadable';

/** How a stored file does not match its record. */
export type FileLoss = 'missing' | 'altered' | Refusal;
