import type { CopyFacts } from '../copy/read-only.ts';

/** What a backup of a ledger holds. */
export interface BackupFacts {
  /** Id of the ledger. */
  readonly ledger: string;
  /** Versions of its tables. */
  readonly tables: readonly string[];
  readonly batches: number;
  /** Those of them that have not ended. */
  readonly open: number;
  /** Rows of all batches. */
  readonly rows: number;
}

/** A file of the store that a record names. */
export interface NamedFile {
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Backing up a ledger in a file. */
export interface BackupDialect {
  /**
   * Writes the ledger as of one moment to a new file, while others work on it. The file takes no writes from the start,
   * wherever somebody puts it: only `accept-copy` opens it. Synced; none is left if that fails. Throws
   * `LedgerUnreachable`.
   */
  readonly snapshot: (place: string, into: string, facts: CopyFacts) => BackupFacts;
  /** The files that the records of a snapshot name, some more than once, without those that were removed on purpose. */
  readonly filesIn: (snapshot: string) => Iterable<NamedFile>;
}

/** Moments of a backup: the ledger is copied; the media are; all is in the folder but not published; it is. */
export type BackupMoment = 'ledger' | 'media' | 'named' | 'published';

/** Moments of a restore: the ledger is beside its place; the media are in theirs; the ledger is in place. */
export type RestoreMoment = 'copied' | 'media' | 'placed';
