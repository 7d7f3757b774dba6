import { defined } from '../contract/defined.ts';
import type { LimiterAnswer, LimiterStep } from '../policy/pacing/limiter-step.ts';
import type { WhyReadOnly } from './copy/read-only.ts';
import type { OutageStatus } from '../store/outage.ts';
import { unitAdapterOf } from './database/unit-adapter.ts';
import type { LockMethods, Locks, Reserve } from './driver.ts';
import { FORMER_OR_ACCEPT, LedgerFull, LedgerReadOnly, LedgerUnreachable, UNACCEPTED } from './errors.ts';
import { METHODS, type BoundMethods, type Method } from './methods.ts';
import type { LedgerOrigin, OpenDatabase } from './migrate.ts';
import type { RowSnapshot } from './rows/row-records.ts';
import type { ScanOptions, ScanPage, ScanPosition } from './rows/scans.ts';
import type { Db } from './schema.ts';

/**
 * The record of rows and money. Every method is one transaction, synced to disk before it returns. Timestamps are in
 * ms. A method that changes a row or its charges also returns the row's new state, from the same transaction, so no
 * caller needs to read it again. Several processes may use one ledger at once.
 *
 * Most methods come from the table in `methods.ts` and are documented there. This interface adds the rest.
 */
export interface Ledger extends BoundMethods, LockMethods {
  /** Random id, created with the ledger. */
  readonly id: string;
  /** When and by which version the ledger says it was created. */
  readonly origin: LedgerOrigin;
  /** Why it could not be written to when it was opened; undefined if it could. */
  readonly readOnly?: WhyReadOnly;
  /** Human-readable location: the absolute path of its file, or its URL without secrets. */
  readonly place: string;
  /** Path of the former ledger, if this one was imported from an older layout when it was opened. */
  readonly former?: string;
  /** False if its database is a copy that nobody has accepted (`accept-copy`), which is read-only. */
  isAccepted(): Promise<boolean>;
  /**
   * When a copy was accepted last, ms; null if none was. Throws `LedgerUnreachable` on one that nobody has accepted.
   */
  acceptedAt(): Promise<number | null>;
  /**
   * Parts of its database that are unexpected, altered or missing, such as `trigger "t"`. Empty for every ledger that
   * only voxbatch has written. Checks ledgers from elsewhere, whose foreign triggers or views could falsify records.
   */
  schemaDifferences(): Promise<readonly string[]>;
  /**
   * Rows with their charges, for projections: in manifest order, or with `endedSince` in the order in which they ended.
   * They are read in pages; the ledger may change between pages.
   */
  scanRows(batch: string, options?: ScanOptions): AsyncIterable<RowSnapshot>;
  /** Redeclared so that its answer type depends on its argument; see `lanes/limiters.ts`. */
  updateLimiter<Step extends LimiterStep>(scope: string, step: Step): Promise<LimiterAnswer<Step>>;
  /** How long the database has not answered, and why; undefined if it answers, and for a database in a file. */
  outage(): Promise<OutageStatus | undefined>;
  /** Ends waiting for a database that does not answer: calls then throw `LedgerAway`. For a process that must end. */
  stopWaiting(): Promise<void>;
  /**
   * Why workers can record nothing more, if the ledger's disk is full: checked on this machine, because workers could
   * not record it. Undefined while there is room, and for a database on a server.
   */
  whyFull(): Promise<string | undefined>;
  /** Releases the space reserved for answers, so that a small file that arrived with its answer can be stored. */
  makeRoom(): Promise<void>;
  /**
   * Ensures that a growing file in this folder does not use the space reserved for answers. Throws `LedgerFull` while
   * that space is released and not yet reserved again; a folder on another disk may always grow.
   */
  leaveRoom(folder: string): Promise<void>;
}

/** Assembles a ledger from an open database: its methods, its locks and its disk reserve. */
export function createLedger(opened: OpenDatabase): Ledger {
  const { db, id, origin, readOnly, place, locks, isAccepted, findSchemaDifferences, reserve, former } = opened;
  const bound = bind(db);
  const unitAdapter = unitAdapterOf(db);
  const outage = unitAdapter?.outage;
  const ledger: Omit<Ledger, keyof LockMethods> = {
    ...bound,
    id,
    origin,
    place,
    ...defined({ former, readOnly }),
    isAccepted,
    acceptedAt: async () => {
      if (await isAccepted()) return bound.acceptedAt();
      if (readOnly !== undefined) throw new LedgerReadOnly(place, readOnly);
      throw new LedgerUnreachable(place, `${UNACCEPTED}. Nothing was changed`, FORMER_OR_ACCEPT);
    },
    schemaDifferences: findSchemaDifferences,
    scanRows: (batch, options = {}) => scanRows((after) => bound.scanPage(batch, options, after)),
    outage: () => Promise.resolve(outage?.status),
    stopWaiting: () => {
      unitAdapter?.stopWaiting();
      return Promise.resolve();
    },
    whyFull: async () => (await opened.workersReserve()).fault()?.message,
    makeRoom: () => Promise.resolve(),
    leaveRoom: () => Promise.resolve(),
  };
  const locked: Ledger = withLocks(ledger, locks);
  const whole = reserve === undefined ? locked : withReserve(locked, reserve);
  return unitAdapter?.withMemory(whole) ?? whole;
}

/**
 * Adds the locks to a ledger. `intend` waits until the lock of workers is held, so nothing is sent while it is lost.
 * Locks on a server have connections of their own: `outage`, `stopWaiting` and `close` then cover those, too.
 */
export function withLocks<L extends Pick<Ledger, 'intend' | 'outage' | 'stopWaiting' | 'close'>>(
  ledger: L,
  { remote, whenHeld, ...locks }: Locks,
): L & LockMethods {
  const guarded = {
    ...ledger,
    ...locks,
    intend: async (...args: Parameters<Ledger['intend']>) => {
      await whenHeld();
      return ledger.intend(...args);
    },
  };
  if (remote === undefined) return guarded;
  const { outage } = remote;
  return {
    ...guarded,
    outage: async () => {
      const [own, others] = [outage.status, await ledger.outage()];
      return own !== undefined && own.forMs > (others?.forMs ?? 0) ? own : others;
    },
    stopWaiting: () => {
      outage.limit(0);
      return ledger.stopWaiting();
    },
    close: () => {
      outage.limit(0);
      return ledger.close();
    },
  };
}

/** Binds each method to the database, its first argument. */
function bind(db: Db): Pick<Ledger, keyof typeof METHODS> {
  const bound = Object.entries<Method>(METHODS).map(([name, method]) => [name, method.bind(undefined, db)]);
  return Object.fromEntries(bound) as Pick<Ledger, keyof typeof METHODS>;
}

/**
 * A ledger that records no request unless it has space for the answer. When the disk is full, answers use the reserved
 * space, and nothing more is sent until there is space again.
 */
export function withReserve(ledger: Ledger, reserve: Reserve): Ledger {
  const recording =
    <A extends readonly unknown[], R>(record: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        return await record(...args);
      } catch (error) {
        if (!(error instanceof LedgerFull)) throw error;
        freeIfPossible(reserve);
        return record(...args);
      }
    };
  return {
    ...ledger,
    // Must be async: a plain function could throw before it returns a promise.
    intend: async (key, intent) => {
      reserve.hold();
      return ledger.intend(key, intent);
    },
    settle: recording((key, verdict, effect) => ledger.settle(key, verdict, effect)),
    notePrice: recording((key, answer) => ledger.notePrice(key, answer)),
    finishJob: recording((key, end, effect) => ledger.finishJob(key, end, effect)),
    noteWorkerEnd: recording((worker, reason) => ledger.noteWorkerEnd(worker, reason)),
    makeRoom: () => {
      freeIfPossible(reserve);
      return Promise.resolve();
    },
    leaveRoom: async (folder) => {
      if (reserve.isOnDiskOf(folder)) reserve.hold();
      return Promise.resolve();
    },
  };
}

/**
 * A disk that is gone, or read-only after an error, cannot release the space. The write that needs it then fails and is
 * retried.
 */
function freeIfPossible(reserve: Reserve): void {
  try {
    reserve.free();
  } catch {
    // The write that needs the space reports it.
  }
}

/** Before the first row, in manifest order and in order of end times. */
const BEGINNING: ScanPosition = { row: 0, endedAt: 0 };

/** Every row that the options select, page by page. The ledger may change between pages. */
export async function* scanRows(
  readPage: (after: ScanPosition) => Promise<ScanPage>,
): AsyncGenerator<RowSnapshot, undefined> {
  for (let after: ScanPosition | undefined = BEGINNING; after !== undefined;) {
    const page: ScanPage = await readPage(after);
    yield* page.rows;
    after = page.next;
  }
}
