/** Moments of a backup: the ledger is copied; the media are; all is in the folder but not published; it is. */
export type BackupMoment = 'ledger' | 'media' | 'named' | 'published';

/** Moments of a restore: the ledger is beside its place; the media are in theirs; the ledger is in place. */
export type RestoreMoment = 'copied' | 'media' | 'placed';
