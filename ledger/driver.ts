import type { Dialect, Kysely } from 'kysely';
import type { Outage } from '../store/outage.ts';
import type { BackupDialect } from './backup/backup-dialect.ts';
import type { CopyDialect } from './copy/copy-dialect.ts';
import type { LedgerFull } from './errors.ts';
import type { JsonAdapter } from './rows/json-member.ts';
import type { Clock, Db, Schema } from './schema.ts';
import type { Version } from './versions.ts';

/**
 * Everything that the ledger needs of one kind of database (SQLite, PostgreSQL). `place`: a resolved address, from
 * `readLedgerAddress` in `supported-databases.ts`.
 */
export interface LedgerDriver extends Versions {
  /** The address without secrets, for messages. */
  readonly describe: (place: string) => string;
  /**
   * Creates an empty database if there is none, and calls `onMade` before anything is written to it. If that throws,
   * removes the database again.
   */
  readonly make: (place: string, onMade: () => void) => Promise<void>;
  /**
   * Opens the database, and creates it if needed. Throws `LedgerUnreachable`, also if a ledger would not be safe there,
   * and `LedgerMissing` if it must exist.
   */
  open(place: string, options: OpenDialect): Promise<JsonDialect>;
  /**
   * Human-readable names of the parts of an up-to-date database that are unexpected, differ from this driver's schema,
   * or are missing.
   */
  schemaDifferences(db: Db): Promise<readonly string[]>;
  /**
   * Makes an open database refuse every write of this process. Omitted where read transactions are declared read-only
   * to the server.
   */
  readonly refuseWrites?: (db: Db) => Promise<void>;
  /**
   * Whether an environment variable configures its connections, and so must be passed to the ledger's thread. Default:
   * no variable does.
   */
  readonly isSetting?: (variable: string) => boolean;
  /** The operations for copying a ledger from or to such a database. */
  copying(): Promise<CopyDialect>;
  /** The operations for backing up a ledger. Omitted where the database server has tools for that. */
  readonly backingUp?: () => Promise<BackupDialect>;
  /** The clock that all processes of the ledger share. Default: the system clock, as all are on one machine. */
  clockOf?(db: Kysely<Schema>): Promise<Clock>;
  /** The locks of the ledger. Takes none of them. */
  locksOf(place: string): Promise<Locks>;
  /** The disk space reserved for answers, on the ledger's disk. Reserves nothing yet. */
  reserveOf(place: string): Promise<Reserve>;
}

/** Kysely dialect of an open database. */
export interface JsonDialect extends Dialect {
  createAdapter(): JsonAdapter;
}

/** How a database is opened. */
export interface OpenDialect {
  /** Throw `LedgerMissing` instead of creating a database. */
  readonly mustExist: boolean;
  /** Whether to create the tables in a database server that has none; see `OpenOptions`. Default false. */
  readonly makesTables?: boolean | undefined;
  /** How long calls wait while the database server does not answer, ms. A database in a file ignores it. */
  readonly patienceMs: number;
  /**
   * Whether statements may read or write whole tables, and so may run for an hour. Default: `makesTables`, because a
   * migration does.
   */
  readonly readsWholeTables?: boolean | undefined;
}

/**
 * Locks between processes, held outside the tables. A lock lasts exactly as long as its process: it survives a slow or
 * suspended process, and ends with a killed one. Part of {@link Ledger}.
 */
export interface LockMethods {
  /**
   * Locks the ledger for the workers of one Temporal server (`server`: its address), so that workers of another server
   * cannot work on it at the same time. Two servers know nothing of each other: each would claim all rows, treat the
   * other's requests in flight as lost, and with `--on-unknown resubmit` pay for them again.
   *
   * Returns the function that releases the lock. Throws {@link LedgerInUse} while another server's workers hold it.
   * `onLost` is called if the lock was lost and cannot be taken again. A lock held over the network ends with its
   * connection, and is taken again at once. A lock in a file is lost once that file, or the ledger's, was moved.
   */
  lockForWorkers(server: string, onLost?: (error: Error) => void): Promise<Unlock>;
  /**
   * Locks the ledger against the workers of every server. Waits at most a second, for processes that only check the
   * lock. Throws {@link LedgerInUse} while any worker holds it.
   */
  lockAgainstWorkers(): Promise<Unlock>;
  /** Whether a worker of any server holds the ledger. Creates nothing. */
  isWorkedOn(): Promise<boolean>;
  /** The server whose workers hold the ledger; undefined if none do. Creates nothing. */
  workersServer(): Promise<string | undefined>;
  /** Takes the lock for loading a batch. Waits while another process holds it. */
  lockForLoading(): Promise<Unlock>;
  /** Takes the lock for replacing the files of a batch. Waits while another process holds it. */
  lockForFiles(): Promise<Unlock>;
}

/** The locks of a ledger, and whether the place where they are held can be reached. */
export interface Locks extends LockMethods {
  /** Undefined for locks in files of this machine. */
  readonly remote?: {
    /** Retries calls while the server does not answer; it gives up at once until a caller sets a longer limit. */
    readonly outage: Outage;
  };
  /**
   * Resolves once this process holds each lock of workers that it has taken: a lost one is being taken again, and until
   * then others may have it. Rejects if one cannot be taken again, for example because its file was moved.
   */
  readonly whenHeld: () => Promise<void>;
}

/** Releases a lock. */
export type Unlock = () => void;

/**
 * Disk space reserved for the answers to paid requests, shared by all processes that work on the ledger. A process
 * calls `begin` when it opens the ledger, `hold` before each request, and `free` when an answer cannot be recorded
 * because the disk is full.
 */
export interface Reserve {
  /** Ensures that there is free space to begin work besides the reserved space. Throws {@link LedgerFull}. */
  begin(): void;
  /** Ensures that the space is reserved. Throws {@link LedgerFull} if the disk has too little. */
  hold(): void;
  /** The error of workers that can record nothing more because the disk is full now; undefined if it is not. */
  fault(): LedgerFull | undefined;
  /** Releases the space. */
  free(): void;
  /** Whether this folder is on the same disk. */
  isOnDiskOf(folder: string): boolean;
}

/** How a kind of database creates its tables, and updates those of earlier versions. */
export interface Versions {
  /** Each version of the tables by its name, oldest first. */
  readonly versions: Readonly<Record<string, Version>>;
  /**
   * Imports a ledger whose layout predates version 0.1. Returns the path at which the former ledger is kept; undefined
   * if another process has imported it meanwhile. Omitted if there were no such layouts.
   */
  readonly importFormer?: (place: string) => Promise<string | undefined>;
  /**
   * Calls `migrate`, and calls it again if other processes have locked the tables, so that these need not be stopped
   * for an update. A call that throws has changed nothing. Default: one call.
   */
  readonly retryMigration?: (db: Kysely<Schema>, place: string, migrate: () => Promise<void>) => Promise<void>;
}
