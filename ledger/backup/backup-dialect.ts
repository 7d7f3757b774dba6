import type { CopyFacts } from '../copy/read-only.ts';

/** What a backup of a ledger contains. */
export interface BackupFacts {
  /** Id of the ledger. */
  readonly ledger: string;
  /** Versions of its tables. */
  readonly tables: readonly string[];
  readonly batches: number;
  /** Number of batches that have not ended. */
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

/** The operations for backing up a ledger in a file. */
export interface BackupDialect {
  /**
   * Writes the ledger at `place`, as of one moment, to the new file `into`, while others work on the ledger. The file
   * is read-only from the start, wherever it is put: only `voxbatch ledger accept-copy` makes it writable. `facts`:
   * what it says of its origin. Syncs the file; leaves none if that fails. Throws `LedgerUnreachable`.
   */
  readonly snapshot: (place: string, into: string, facts: CopyFacts) => BackupFacts;
  /** The files in the store that a snapshot's records name, some more than once; not those removed on purpose. */
  readonly filesIn: (snapshot: string) => Iterable<NamedFile>;
}

/** Steps of a backup that are done, for tests: ledger copied; media copied; all files in place; backup published. */
export type BackupMoment = 'ledger' | 'media' | 'named' | 'published';

/** Steps of a restore that are done, for tests: ledger copied beside its place; media in place; ledger in place. */
export type RestoreMoment = 'copied' | 'media' | 'placed';
