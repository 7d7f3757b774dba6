import type { Clock } from './schema.ts';
import { readLedgerAddress } from './supported-databases.ts';
import type { LedgerDriver } from './driver.ts';
import { LedgerUnreachable } from './errors.ts';
import type { Ledger } from './ledger.ts';
import type { OpenDatabase } from './migrate.ts';
import type { LedgerPlace, LedgerThread } from './ledger-in-thread.ts';

export interface OpenOptions {
  /** For read-only commands: throw `LedgerMissing`, and create no ledger. Default false. */
  readonly mustExist?: boolean;
  /**
   * For processes that work on batches. Runs the database in its own thread, so that neither SQL nor waiting for the disk
   * blocks this one (no effect if the code runs from its TypeScript source), and keeps room for the answers to paid
   * requests. Throws `LedgerFull` if the disk has too little. Default false.
   */
  readonly thread?: boolean;
  /** A thread that was begun for this ledger with {@link beginLedgerThread}. Default: `thread` begins one. */
  readonly begun?: LedgerThread | undefined;
  /** What tells its time; not that of a ledger in a thread. Default: the system. */
  readonly clock?: Clock;
  /** Called when the ledger's file was made and is still empty; if it throws, there is none again. Default: does nothing. */
  readonly onMade?: () => void;
}

/**
 * Opens a ledger, creating it and its folder if needed, and brings its tables up to date.
 *
 * `address` is what {@link readLedgerAddress} accepts. Throws {@link LedgerUnreachable} (also for databases that are
 * not supported, and for a ledger on a network disk), `LedgerTooNew`, and `LedgerMissing`.
 */
export async function openLedger(
  address: string,
  { mustExist = false, thread = false, begun, onMade, clock }: OpenOptions = {},
): Promise<Ledger> {
  const { driver, place } = await driverOf(address);
  if (!mustExist && onMade !== undefined) await driver.make(place, onMade);
  if (thread) {
    // That of an attempt to open it that failed is closed.
    const ready = begun?.pool.isClosed === false ? begun : undefined;
    const own = ready ?? (await beginThreadOf(driver, place, mustExist));
    // Only who works on batches needs it.
    const { openInThread } = await import('./ledger-in-thread.ts');
    if (own !== undefined) return openInThread(own, await driver.locksOf(place));
  }
  const database = await openDatabase({ place, mustExist, hasReserve: thread }, clock);
  const { createLedger } = await import('./ledger.ts');
  return createLedger(database);
}

/**
 * Begins the thread of a ledger that will probably be opened soon, with the right to create it: the thread's code loads meanwhile. Neither opens nor
 * creates anything. Undefined if the ledger needs no thread, or cannot be opened.
 */
export async function beginLedgerThread(address: string): Promise<LedgerThread | undefined> {
  const read = readLedgerAddress(address);
  return read.type === 'address' ? beginThreadOf(await read.load(), read.address, false) : undefined;
}

async function beginThreadOf(
  driver: LedgerDriver,
  place: string,
  mustExist: boolean,
): Promise<LedgerThread | undefined> {
  if (!driver.blocksThread) return undefined;
  const { beginThread, findLedgerThread } = await import('./ledger-in-thread.ts');
  const entry = findLedgerThread();
  return entry === undefined ? undefined : beginThread(entry, { place, mustExist, hasReserve: true });
}

/** See {@link openLedger}. */
export async function openDatabase(
  { place, mustExist, hasReserve = false }: LedgerPlace,
  clock?: Clock,
): Promise<OpenDatabase> {
  const { driver } = await driverOf(place);
  const dialect = await driver.open(place, { mustExist });
  // Not before: where there is no ledger, nothing of it is needed.
  const { databaseOf } = await import('./migrate.ts');
  return databaseOf(dialect, driver, place, hasReserve, clock);
}

async function driverOf(given: string): Promise<{ readonly driver: LedgerDriver; readonly place: string }> {
  const read = readLedgerAddress(given);
  if (read.type === 'address') return { driver: await read.load(), place: read.address };
  const advice = 'Set VOXBATCH_LEDGER to one, or unset it for .voxbatch/ledger.db.';
  throw new LedgerUnreachable(`(${read.came})`, `expected ${read.expected}`, advice);
}
