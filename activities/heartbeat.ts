import { setMaxListeners } from 'node:events';
import { Context } from '@temporalio/activity';

/**
 * Runs an activity's work with its heartbeat, which also brings cancellation: the signal aborts when the server took the work away or the
 * worker shuts down. The work beats by itself, so that a beat proves that it goes on; the SDK sends one every 2 s at most
 * (`worker/create-worker.ts`).
 */
export async function withHeartbeat<T>(work: (signal: AbortSignal, beat: () => void) => Promise<T>): Promise<T> {
  const context = Context.current();
  const { cancellationSignal } = context;
  // Each row that the work waits for listens to it.
  setMaxListeners(0, cancellationSignal);
  const beat = (): void => {
    context.heartbeat();
  };
  beat();
  return work(cancellationSignal, beat);
}
