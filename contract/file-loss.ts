/**
 * Why the store refuses to return a file that it has. `archived`: a lifecycle rule of the bucket archived it.
 * `unreadable`: it is encrypted with a key that is gone.
 */
export type Refusal = 'archived' | 'unreadable';

/** How a stored file deviates from the ledger's record of it. */
export type FileLoss = 'missing' | 'altered' | Refusal;
