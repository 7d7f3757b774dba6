import { setMaxListeners } from 'node:events';
import { Context } from '@temporalio/activity';

/**
 * Runs an activity's work with its heartbeat, which also delivers cancellation: the signal aborts when the server takes
 * the work away or the worker shuts down. The work itself beats, so a beat proves progress; the SDK sends one every 2 s
 * at most (`worker/create-worker.ts`).
 */
export async function withHeartbeat<T>(work: (signal: AbortSignal, beat: () => void) => Promise<T>): Promise<T> {
  const context = Context.current();
  const { cancellationSignal } = context;
  // Each row that the work waits for adds a listener.
  setMaxListeners(0, cancellationSignal);
  const beat = (): void => {
    context.heartbeat();
  };
  beat();
  return work(cancellationSignal, beat);
}
