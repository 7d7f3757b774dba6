import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Settings } from '../settings.ts';
import { atOnce, batchHere, completed, type BatchHere, type BatchStatus } from './status.ts';

/** Pause between two reads of the ledger, ms. */
const LOOK_EVERY_MS = 500;
/** How long a batch that nobody works on is watched, ms: the command that has just made it may still be starting. */
export const PATIENCE_MS = 10_000;

/**
 * What watching a batch shows. `progress`: at every look. `deserted`: it has no worker, and is given up soon unless one comes. `ended`: the last
 * one: it is finished, paused, or deserted, or the signal has aborted.
 */
export interface WatchEvent {
  readonly type: 'progress' | 'deserted' | 'ended';
  readonly status: BatchStatus;
}

/** Watches a batch until it is finished, paused, or nobody works on it any more. Starts nothing. */
export async function* watchBatch(
  ledger: Ledger,
  settings: Settings,
  name: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, void, undefined> {
  let here = await batchHere(ledger, settings, name);
  let leftAt: number | undefined;
  while (!isOver(here) && !signal.aborted) {
    if (!here.isDeserted) leftAt = undefined;
    else if (leftAt === undefined) {
      leftAt = performance.now();
      yield { type: 'deserted', status: atOnce(here) };
    }
    if (leftAt !== undefined && performance.now() - leftAt >= PATIENCE_MS) break;
    yield { type: 'progress', status: atOnce(here) };
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    here = await batchHere(ledger, settings, here.batch.name);
  }
  yield { type: 'ended', status: await completed(ledger, here) };
}

function isOver({ batch }: BatchHere): boolean {
  return batch.state === 'closed' || (batch.state === 'open' && batch.control === 'paused');
}
