import { SYSTEM_CLOCK, type Clock } from './dependencies.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { updateClockOffset } from '../policy/clocks.ts';

/** How often the ledger's clock is read, ms. */
const READ_EVERY_MS = 10_000;

/** A clock that follows that of the ledger, until it is stopped. */
export interface LedgerClock extends Clock {
  stop(): void;
}

/**
 * The clock of a worker. Its wall clock is the ledger's: workers on several hosts compare times with each other's and
 * with those on record, and the clocks of hosts may be seconds apart. Where the ledger's clock is that of this machine,
 * it is the system clock, unchanged.
 */
export async function followLedgerClock(
  ledger: Pick<Ledger, 'readClock'>,
  own: Clock = SYSTEM_CLOCK,
): Promise<LedgerClock> {
  let aheadMs = 0;
  const read = async (): Promise<void> => {
    const before = own.now();
    const time = await ledger.readClock();
    const after = own.now();
    const tripMs = after.monotonic - before.monotonic;
    aheadMs = updateClockOffset(aheadMs, { aheadMs: time - (before.host + after.host) / 2, tripMs });
  };
  await read();
  const timer = setInterval(() => {
    // Other calls report that the ledger does not answer.
    read().catch(() => undefined);
  }, READ_EVERY_MS).unref();
  return {
    now: () => {
      const { host, monotonic } = own.now();
      return { wall: host + aheadMs, host, monotonic };
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}
