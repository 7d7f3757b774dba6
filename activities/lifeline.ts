import { setMaxListeners } from 'node:events';
import { Context } from '@temporalio/activity';

/** Less than a third of the shortest heartbeat time-out (10 s), so that two may be lost. */
const BEAT_EVERY_MS = 2_000;

/**
 * Runs an activity's work under a heartbeat, which also brings cancellation: the signal aborts when the server took the
 * work away or the worker shuts down.
 */
export async function withLifeline<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  // Each row that the work waits for listens to it.
  setMaxListeners(0, context.cancellationSignal);
  context.heartbeat();
  const beat = setInterval(() => {
    context.heartbeat();
  }, BEAT_EVERY_MS);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(beat);
  }
}
