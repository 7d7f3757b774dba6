import { setMaxListeners } from 'node:events';
import { asyncLocalStorage, Context } from '@temporalio/activity';

/** What the work of an activity knows of its life. */
export interface Life {
  /** Aborts when the server took the work away or the worker shuts down. */
  readonly signal: AbortSignal;
  /** Says that the work goes on. The SDK tells the server every 2 s at most (`worker/create-worker.ts`). */
  readonly beat: () => void;
  /** How often the activity was begun, this time included. */
  readonly attempt: number;
}

/**
 * Runs an activity's work with its heartbeat, which also brings cancellation. The work beats by itself, so that a beat proves that it
 * goes on.
 */
export async function withHeartbeat<T>(work: (life: Life) => Promise<T>): Promise<T> {
  const context = Context.current();
  const { cancellationSignal: signal, info } = context;
  // Each row that the work waits for listens to it.
  setMaxListeners(0, signal);
  const beat = (): void => {
    context.heartbeat();
  };
  beat();
  leaveAsyncContext();
  return work({ signal, beat, attempt: info.attempt });
}

/**
 * Leaves the SDK's asynchronous context, by which an activity finds its `Context`: ours have it in hand. Before Node 24 an AsyncLocalStorage
 * that was entered makes every promise of the process run a hook, a tenth of what a row costs. The SDK enters it anew for each activity.
 */
export function leaveAsyncContext(): void {
  asyncLocalStorage.disable();
}
