import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../../ledger/ledger.ts';
import { limitWaiting } from '../../worker/watch-outage.ts';
import type { Settings } from '../settings.ts';
import { beginPace, type PaceView } from './pace.ts';
import { batchHere, completeStatus, statusFromCounts, type BatchHere, type BatchStatus } from './status.ts';
import { isPaused } from './continue-command.ts';
import { reportLedgerOutages } from './report-outages.ts';

/** Pause between two reads of the ledger, ms. */
const POLL_EVERY_MS = 500;

/** Grace period for a batch without a worker, ms: the command that has just created it may still be starting. */
export const GRACE_MS = 10_000;

/**
 * An event of a watched batch. `progress`: emitted at every poll. `deserted`: it has no worker; watching soon stops
 * unless one appears. `ended`: the last event: the batch is finished, paused or deserted, or the signal has aborted.
 */
export interface WatchEvent {
  readonly type: 'progress' | 'deserted' | 'ended';
  readonly status: BatchStatus;
}

/** Options of {@link watchBatch}. */
export interface WatchOptions {
  /** The batch; undefined means the newest. */
  readonly name: string | undefined;
  /** Stops watching. */
  readonly signal: AbortSignal;
  /** Called with a message when the ledger's database stops answering, and when it answers again. */
  readonly say: (line: string) => void;
}

/**
 * Watches a batch until it is finished, paused or deserted. Starts nothing. Throws `LedgerAway` if the signal aborts
 * while the ledger's database is away.
 */
export async function* watchBatch(
  ledger: Ledger,
  settings: Settings,
  { name, signal, say }: WatchOptions,
): AsyncGenerator<WatchEvent, void, undefined> {
  const endReports = reportLedgerOutages(ledger, say);
  // Once the signal aborts, nothing waits for the database any more.
  const endLimit = limitWaiting(ledger, signal, 0);
  try {
    yield* watchStates(ledger, settings, name, signal);
  } finally {
    endLimit();
    endReports();
  }
}

async function* watchStates(
  ledger: Ledger,
  settings: Settings,
  name: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, void, undefined> {
  let here = await batchHere(ledger, settings, name);
  const observed = await beginPace(ledger, here.batch.name);
  const pace = (): PaceView => observed.update(performance.now(), here.batch, here.counts);
  let desertedAt: number | undefined;
  while (!isOver(here) && !signal.aborted) {
    if (!here.isDeserted) desertedAt = undefined;
    else if (desertedAt === undefined) {
      desertedAt = performance.now();
      yield { type: 'deserted', status: statusFromCounts(here, pace()) };
    }
    if (desertedAt !== undefined && performance.now() - desertedAt >= GRACE_MS) break;
    yield { type: 'progress', status: statusFromCounts(here, pace()) };
    await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
    here = await batchHere(ledger, settings, here.batch.name);
  }
  yield { type: 'ended', status: await completeStatus(ledger, here, pace()) };
}

function isOver({ batch }: BatchHere): boolean {
  return batch.state === 'closed' || isPaused(batch);
}
