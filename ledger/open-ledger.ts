import type { Clock } from './schema.ts';
import { unitAdapterOf } from './database/unit-adapter.ts';
import { readLedgerAddress } from './supported-databases.ts';
import type { LedgerDriver } from './driver.ts';
import { LedgerUnreachable } from './errors.ts';
import type { Ledger } from './ledger.ts';
import type { OpenDatabase } from './migrate.ts';
import type { LedgerPlace, LedgerThread } from './ledger-in-thread.ts';

/** How to open a ledger. */
export interface OpenOptions {
  /** For read-only commands: throw `LedgerMissing` instead of creating a ledger. Default false. */
  readonly mustExist?: boolean;
  /**
   * Creates the tables in a database server that has none. Default false, so that a wrong address creates no second
   * ledger, which would not know what was paid for. A ledger in a file is created regardless.
   */
  readonly makesTables?: boolean;
  /**
   * For processes that work on batches. Runs the database in its own thread, so that neither SQL nor waiting for the
   * disk blocks this one (no effect if the code runs from its TypeScript source), and keeps room for the answers to
   * paid requests. Throws `LedgerFull` if the disk has too little. Default false.
   */
  readonly thread?: boolean;
  /**
   * For long-running processes that only read: refuses writes if the database is a file, and with `thread` reserves no
   * space for answers. Default false.
   */
  readonly isForReading?: boolean;
  /** Waits without limit while the database server does not answer. Default: `thread`. */
  readonly waits?: boolean;
  /** A thread that {@link beginLedgerThread} has started for this ledger. Default: `thread` starts one. */
  readonly begun?: LedgerThread | undefined;
  /** The ledger's clock; ignored by a ledger in a thread. Default: the driver's clock. */
  readonly clock?: Clock;
  /** Called once the ledger's file is created and still empty; if it throws, the file is removed again. */
  readonly onMade?: () => void;
}

/**
 * Opens a ledger, creating its file and folder if needed, and brings its tables up to date.
 *
 * `address` is what {@link readLedgerAddress} accepts. Throws {@link LedgerUnreachable} (also for databases that are
 * not supported, and for a ledger on a network disk), `LedgerTooNew`, and `LedgerMissing`.
 */
export async function openLedger(
  address: string,
  {
    mustExist = false,
    makesTables = false,
    isForReading = false,
    thread = false,
    waits = thread,
    begun,
    onMade,
    clock,
  }: OpenOptions = {},
): Promise<Ledger> {
  const { driver, place } = await driverOf(address);
  if (!mustExist && onMade !== undefined) await driver.make(place, onMade);
  if (thread) {
    // After a failed attempt to open the ledger, its thread pool is closed.
    const ready = begun?.pool.isClosed === false ? begun : undefined;
    const own = ready ?? (await beginThreadOf(driver, { place, mustExist, isForReading }));
    // Only processes that work on batches need it.
    const { openInThread } = await import('./ledger-in-thread.ts');
    if (own !== undefined) return openInThread(own, driver);
  }
  const database = await openDatabase(
    { place, mustExist, makesTables, waits, isForReading, hasReserve: thread && !isForReading },
    clock,
  );
  const { createLedger } = await import('./ledger.ts');
  return createLedger(database);
}

/**
 * Starts the thread of a ledger that will probably be opened soon and may be created, so that the thread's code loads
 * meanwhile. Neither opens nor creates anything. Undefined if the ledger needs no thread or cannot be opened.
 */
export async function beginLedgerThread(address: string): Promise<LedgerThread | undefined> {
  const read = readLedgerAddress(address);
  return read.type === 'address'
    ? beginThreadOf(await read.load(), { place: read.address, mustExist: false })
    : undefined;
}

async function beginThreadOf(driver: LedgerDriver, place: LedgerPlace): Promise<LedgerThread | undefined> {
  const { beginThread, findLedgerThread } = await import('./ledger-in-thread.ts');
  const entry = findLedgerThread();
  return entry === undefined
    ? undefined
    : beginThread(entry, { ...place, hasReserve: place.isForReading !== true }, driver);
}

/**
 * How long a process that does not work on batches waits for a database server that does not answer, ms; and how long
 * every process waits while it opens the ledger.
 */
const ASKING_PATIENCE_MS = 10_000;

/** Opens the database of a ledger in this thread. See {@link openLedger} for what it throws. */
export async function openDatabase(
  {
    place,
    mustExist,
    makesTables,
    hasReserve = false,
    goesOn = false,
    isForReading = false,
    waits = hasReserve,
  }: LedgerPlace & Pick<OpenOptions, 'makesTables' | 'waits'>,
  clock?: Clock,
): Promise<OpenDatabase> {
  const { driver } = await driverOf(place);
  const patienceMs = ASKING_PATIENCE_MS;
  const dialect = await driver.open(place, { mustExist, makesTables, patienceMs });
  // Loaded late: where there is no ledger, this code is not needed.
  const { databaseOf } = await import('./migrate.ts');
  const opened = await databaseOf(dialect, driver, place, { hasReserve, goesOn }, clock);
  if (isForReading) await driver.refuseWrites?.(opened.db);
  // Processes that work on batches wait without limit; for other commands that would be useless. The limit is not
  // lifted earlier, because nobody can report or end the wait before the ledger is open.
  if (waits) unitAdapterOf(opened.db)?.outage.limit(Infinity);
  opened.locks.remote?.outage.limit(waits ? Infinity : patienceMs);
  return opened;
}

/** The driver and the resolved form of an address. Throws {@link LedgerUnreachable} for unsupported databases. */
export async function driverOf(given: string): Promise<{ readonly driver: LedgerDriver; readonly place: string }> {
  const read = readLedgerAddress(given);
  if (read.type === 'address') return { driver: await read.load(), place: read.address };
  const advice = 'Correct VOXBATCH_LEDGER.';
  throw new LedgerUnreachable(`(${read.got})`, `expected ${read.expected}`, advice);
}
