import { findThreadEntry } from '../threads/find-entry.ts';
import { ThreadDied } from '../threads/pool-thread.ts';
import { ThreadPool } from '../threads/thread-pool.ts';
import { unpackError, type ThrownError } from '../threads/serve-jobs.ts';
import {
  BatchExists,
  CommitUnknown,
  CopyInDoubt,
  DuplicateRow,
  LedgerAway,
  LedgerForbidden,
  LedgerMisuse,
  LedgerMissing,
  LedgerReadOnly,
  LedgerTooNew,
  LedgerFull,
  LedgerUnreachable,
  LoadTakenOver,
  MonthUsedUp,
} from './errors.ts';
import { ownOperations } from '../contract/own-operations/own-operation-rules.ts';
import { defined } from '../contract/defined.ts';
import { scanRows, withLocks, type Ledger } from './ledger.ts';
import type { LedgerDriver, LockMethods } from './driver.ts';

/*
 * The ledger in its own thread: `openInThread` returns a `Ledger` whose methods are calls to the thread, whose entry is
 * `ledger-thread.ts`.
 */

/** Which ledger the thread opens, and how. */
export interface LedgerPlace {
  /** Its resolved address. */
  readonly place: string;
  /** Do not create a missing one. */
  readonly mustExist: boolean;
  /** Reserve disk space for answers. Default false. */
  readonly hasReserve?: boolean;
  /** Opened in place of a thread that died, while the process may have answers to record. Default false. */
  readonly goesOn?: boolean;
  /** See `OpenOptions`. Default false. */
  readonly isForReading?: boolean;
}

/**
 * Methods that are passed on to the thread: all except `scanRows`, which reads page by page, and the locks, which must
 * outlive a thread that dies.
 */
type Method = Exclude<keyof Ledger, 'id' | 'origin' | 'readOnly' | 'place' | 'former' | 'scanRows' | keyof LockMethods>;

/** A call on its way to the thread. */
export interface LedgerCall {
  readonly method: Method | 'open';
  readonly args: readonly unknown[];
}

/** The thread's answer to `open`. */
export interface OpenedLedger extends Pick<Ledger, 'id' | 'origin' | 'readOnly' | 'former'> {
  /**
   * The names of all members of the thread's ledger, so that this side needs neither a list of methods nor their code.
   * Includes members that are no methods; `openInThread` overwrites those.
   */
  readonly names: readonly string[];
}

/** The errors of the ledger that keep their class when the thread throws them. */
const ERROR_CLASSES: readonly (abstract new (...args: never) => Error)[] = [
  LedgerUnreachable,
  LedgerAway,
  LedgerForbidden,
  CommitUnknown,
  CopyInDoubt,
  LedgerFull,
  LedgerMissing,
  LedgerReadOnly,
  LedgerTooNew,
  LedgerMisuse,
  BatchExists,
  DuplicateRow,
  LoadTakenOver,
  MonthUsedUp,
];

/** The compiled module of the ledger's thread; undefined if the code runs from its TypeScript source. */
export function findLedgerThread(): URL | undefined {
  return findThreadEntry(import.meta.url, 'ledger/ledger-thread');
}

/** The thread of a ledger that is not open yet. */
export interface LedgerThread {
  readonly place: LedgerPlace;
  readonly pool: ThreadPool<LedgerCall, unknown>;
}

/** Starts the thread of a ledger. Opens nothing. */
export function beginThread(entry: URL, place: LedgerPlace, { isSetting }: LedgerDriver): LedgerThread {
  const pool = new ThreadPool<LedgerCall, unknown>({
    name: 'ledger',
    entry,
    size: 1,
    data: { ...place, operations: ownOperations() },
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => isSetting?.(name) === true)),
    toError,
  });
  pool.warmUp();
  return { place, pool };
}

/**
 * Opens the ledger in its own thread. Callers see no difference: each call resolves after the synced commit. If the
 * thread dies, calls in progress fail with {@link LedgerUnreachable}, as with any fault whose outcome is unknown, and
 * the next call opens the ledger again.
 */
export async function openInThread({ place, pool }: LedgerThread, driver: LedgerDriver): Promise<Ledger> {
  const locks = await driver.locksOf(place.place);
  const shown = driver.describe(place.place);
  const call: Call = async (method, args, patienceMs = 0) => {
    try {
      return await pool.run({ method, args }, { patienceMs });
    } catch (error) {
      if (!(error instanceof ThreadDied)) throw error;
      throw new LedgerUnreachable(shown, error.message, 'Run the same command again.', error);
    }
  };
  try {
    const { id, origin, readOnly, names, former } = (await call('open', [])) as OpenedLedger;
    const remote = {
      ...remoteMethods(names, call),
      ...composed(call),
      id,
      origin,
      place: shown,
      ...defined({ former, readOnly }),
      close: () => closeThread(pool),
    };
    // Like the thread's calls, those of the locks wait for the server as long as it takes, once the ledger is open.
    locks.remote?.outage.limit(Infinity);
    return withLocks(remote, locks);
  } catch (error) {
    await pool.close();
    throw error;
  }
}

type Call = (method: LedgerCall['method'], args: readonly unknown[], patienceMs?: number) => Promise<unknown>;

/** For each name, a method that calls the method of that name in the thread. */
function remoteMethods(names: readonly string[], call: Call): Pick<Ledger, Method> {
  const methods = names.map((name) => [name, (...args: unknown[]) => call(name as Method, args)]);
  return Object.fromEntries(methods) as Pick<Ledger, Method>;
}

/**
 * Methods that need more than a plain call: a thread cannot return an iterator, and some changes may wait for others so
 * that they share a commit (`patienceMs`).
 */
function composed(call: Call): Pick<Ledger, 'scanRows' | 'intend' | 'settle' | 'finishJob'> {
  return {
    intend: (key, intent) => call('intend', [key, intent], intent.patienceMs) as ReturnType<Ledger['intend']>,
    settle: (key, verdict, effect) =>
      call('settle', [key, verdict, effect], verdict.patienceMs) as ReturnType<Ledger['settle']>,
    finishJob: (key, end, effect) =>
      call('finishJob', [key, end, effect], end.patienceMs) as ReturnType<Ledger['finishJob']>,
    scanRows: (batch, options = {}) =>
      scanRows((after) => call('scanPage', [batch, options, after]) as ReturnType<Ledger['scanPage']>),
  };
}

async function closeThread(pool: ThreadPool<LedgerCall, unknown>): Promise<void> {
  try {
    await pool.run({ method: 'close', args: [] });
  } finally {
    await pool.close();
  }
}

/** Restores the class of an error that the thread has thrown; its members were transferred. */
function toError(thrown: ThrownError): Error {
  const error = unpackError(thrown);
  const Class = ERROR_CLASSES.find(({ name }) => name === thrown.name);
  if (Class !== undefined) Object.setPrototypeOf(error, Class.prototype as object);
  return error;
}
