import type { Dialect, Kysely } from 'kysely';
import type { Outage } from '../store/outage.ts';
import type { BackupDialect } from './backup/backup-dialect.ts';
import type { CopyDialect } from './copy/copy-dialect.ts';
import type { LedgerFull } from './errors.ts';
import type { Clock, Db, Schema } from './schema.ts';
import type { Version } from './versions.ts';

/** How one kind of database holds a ledger. `place` is a resolved address, from {@link DatabaseKind.resolve}. */
export interface LedgerDriver extends Versions {
  /** The address without secrets, as people see it. */
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
  open(place: string, options: OpenDialect): Promise<Dialect>;
  /**
   * Human-readable names of the parts of an up-to-date database that are unexpected, differ from this driver's schema,
   * or are missing.
   */
  strangeParts(db: Db): Promise<readonly string[]>;
  /**
   * Makes an open database refuse every write of this process. Default: it does not, as its reads say that they are no
   * more.
   */
  readonly refuseWrites?: (db: Db) => Promise<void>;
  /**
   * Whether a variable of the environment is a setting of its connections, which its thread then needs. Default: none
   * is.
   */
  readonly isSetting?: (variable: string) => boolean;
  /** What copying a ledger from here or to here needs. */
  copying(): Promise<CopyDialect>;
  /** What backing a ledger up needs. Absent where the database's server has tools for that. */
  readonly backingUp?: () => Promise<BackupDialect>;
  /** The clock that all processes of the ledger share. Default: the system's, where they are all on one machine. */
  clockOf?(db: Kysely<Schema>): Promise<Clock>;
  /** The locks of the ledger. Opens none yet. */
  locksOf(place: string): Promise<Locks>;
  /** The disk space reserved for answers, on the ledger's disk. Reserves nothing yet. */
  reserveOf(place: string): Promise<Reserve>;
}

/** How a database is opened. */
export interface OpenDialect {
  readonly mustExist: boolean;
  /** Whether tables are made in a database server that has none; see `OpenOptions`. */
  readonly makesTables?: boolean | undefined;
  /** How long calls wait for a database that goes away, ms. One in a file does not. */
  readonly patienceMs: number;
  /** Whether statements go over whole tables: those may take longer. Default: only those that make tables do. */
  readonly isWhole?: boolean | undefined;
}

/**
 * Locks between processes, kept beside the records: each ends with its process, however that dies, and lasts as long as
 * the process lives, however slow or suspended it is. Part of {@link Ledger}.
 */
export interface LockMethods {
  /**
   * Locks the ledger for the workers of one Temporal server, so that those of no other server work on it at the same
   * time. Two servers know nothing of each other: each would take the rows for its own, treat requests in flight as
   * lost, and with `--on-unknown resubmit` pay for them again. `server` names it.
   *
   * Returns the function that releases the lock. Throws {@link LedgerInUse} while another server's workers hold it.
   * `onLost` is called if the lock was lost and cannot be had again: one that is held over the network ends with its
   * connection, and is taken again at once; one in a file keeps nobody out once that file, or the ledger's, was moved.
   */
  lockForWorkers(server: string, onLost?: (error: Error) => void): Promise<Unlock>;
  /**
   * Keeps the workers of every server from the ledger, and waits for nobody but a process that only looks at the lock.
   * Throws {@link LedgerInUse} while any worker holds it.
   */
  lockAgainstWorkers(): Promise<Unlock>;
  /** Whether a worker of any server holds the ledger. Creates nothing. */
  isWorkedOn(): Promise<boolean>;
  /** The server whose workers hold the ledger; undefined if none do. Creates nothing. */
  workersServer(): Promise<string | undefined>;
  /** Waits until nobody else is loading a batch, and keeps others from it. */
  lockForLoading(): Promise<Unlock>;
  /** Waits until nobody else is replacing the files of a batch, and keeps others from it. */
  lockForFiles(): Promise<Unlock>;
}

/** The locks of a ledger, and the waiting for where they are held. */
export interface Locks extends LockMethods {
  /** Undefined for locks of this machine's files. */
  readonly remote?: {
    /** Waits for a server that does not answer. Its limit is 0 until somebody sets another. */
    readonly outage: Outage;
  };
  /**
   * Resolves once no lock of workers is missing: one that was lost, and is being taken again. Until then others may
   * have it. Rejects if one cannot be had again, as when its file was moved.
   */
  readonly whenHeld: () => Promise<void>;
}

/** Releases a lock. */
export type Unlock = () => void;

/** Disk space reserved for the answers to paid requests, shared by all processes that work on the ledger. */
export interface Reserve {
  /** Ensures that there is room to begin work, besides space that is reserved already. Throws {@link LedgerFull}. */
  begin(): void;
  /** Ensures that the space is reserved. Throws {@link LedgerFull} if the disk has too little. */
  hold(): void;
  /** Why workers can record nothing more, if the disk has too little room now; undefined if it has enough. */
  fault(): LedgerFull | undefined;
  /** Releases the space. */
  free(): void;
  /** Whether this folder is on the same disk. */
  isOnDiskOf(folder: string): boolean;
}

/** How a kind of database makes its tables. */
export interface Versions {
  /** Each version of the tables by its name, oldest first. */
  readonly versions: Readonly<Record<string, Version>>;
  /**
   * Imports a ledger whose layout predates version 1. Returns where the former ledger is kept; undefined if another
   * process has imported it meanwhile. Omitted if there were no such layouts.
   */
  readonly importFormer?: (place: string) => Promise<string | undefined>;
  /**
   * Calls `migrate`, which keeps nothing if it throws, again and again while others use the tables, so that they need
   * not stop for it. Default: it is called once.
   */
  readonly letOthersWork?: (db: Kysely<Schema>, place: string, migrate: () => Promise<void>) => Promise<void>;
}
