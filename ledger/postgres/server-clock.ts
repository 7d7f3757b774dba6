import { sql, type Kysely } from 'kysely';
import { updateClockOffset, type ClockReading } from '../../policy/clocks.ts';
import { unitAdapterOf } from '../database/unit-adapter.ts';
import type { Clock, Schema } from '../schema.ts';

/** How often the server's clock is read again, ms: monotonic clocks drift apart by some ms in that time. */
const READ_EVERY_MS = 30_000;
/** A jump of the system clock, or sleep of the machine, by more than this has it read again at once, ms. */
const JUMP_MS = 1_000;
/** Readings at the start; the quickest counts. */
const READINGS = 3;

/** A reading of the server's clock, beside our monotonic one. */
interface Reading extends ClockReading {
  /** When it began, in monotonic ms. */
  readonly at: number;
  /** System time minus monotonic time at the reading, ms. */
  readonly system: number;
}

/**
 * The clock of the database server, so that all hosts that share a ledger mean the same by a time, however wrong their
 * own clocks are. In between readings, this process's monotonic clock runs it. A server that was away may be another
 * one now.
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
      // The database is away, or is being closed. The clock runs on, and is read again later; at once where this
      // machine slept.
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
