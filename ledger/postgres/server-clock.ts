import { sql, type Kysely } from 'kysely';
import { updateClockOffset, type ClockReading } from '../../policy/clocks.ts';
import { unitAdapterOf } from '../database/unit-adapter.ts';
import type { Clock, Schema } from '../schema.ts';

/** How often the server's clock is read again, ms: monotonic clocks drift apart by some ms in that time. */
const READ_EVERY_MS = 30_000;
/** If the system clock jumps by more than this, or the machine slept, the server's clock is read again at once, ms. */
const JUMP_MS = 1_000;
/** Readings at the start; the one with the shortest round trip counts. */
const READINGS = 3;

/** A reading of the server's clock, beside our monotonic one. */
interface Reading extends ClockReading {
  /** When it began, in monotonic ms. */
  readonly at: number;
  /** System time minus monotonic time at the reading, ms. */
  readonly system: number;
}

/**
 * Returns a clock that follows the database server's, so that all hosts that share a ledger agree on the time, however
 * wrong their own clocks are. Between readings it advances with this process's monotonic clock. After an outage it is
 * read again, because another server may answer now.
 */
export async function serverClock(db: Kysely<Schema>): Promise<Clock> {
  let last = await read(db);
  for (let readings = 1; readings < READINGS; readings++) {
    const next = await read(db);
    if (next.tripMs < last.tripMs) last = next;
  }
  const outage = unitAdapterOf(db)?.outage;
  let reading: Promise<void> | undefined;
  const readAgain = async (): Promise<void> => {
    try {
      const next = await read(db);
      // Its duration may include waiting for a database that was away.
      last = { ...next, aheadMs: updateClockOffset(last.aheadMs, next) };
    } catch {
      // The database does not answer, or is being closed. The clock advances, and is read again later.
      last = { ...last, at: performance.now() };
    } finally {
      reading = undefined;
    }
  };
  return {
    now: () => {
      const now = performance.now();
      const wasAway = outage !== undefined && outage.lastEndedAt > last.at;
      if (wasAway || now - last.at > READ_EVERY_MS || Math.abs(systemOffset() - last.system) > JUMP_MS)
        reading ??= readAgain();
      return Math.round(now + last.aheadMs);
    },
  };
}

async function read(db: Kysely<Schema>): Promise<Reading> {
  const before = performance.now();
  const { rows } = await sql<{ readonly now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(db);
  const after = performance.now();
  const [{ now } = { now: Number.NaN }] = rows;
  if (!Number.isFinite(now)) throw new Error('The database did not tell the time.');
  return { aheadMs: now - (before + after) / 2, at: before, system: systemOffset(), tripMs: after - before };
}

function systemOffset(): number {
  return Date.now() - performance.now();
}
