import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadMessage } from './webhooks/webhook-listener.ts';
import { receiveWebhooks, type ListenRequest } from './webhooks/webhook-receiver.ts';
import type { WatchChange } from './webhooks/mentioned-jobs.ts';
import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { NO_DUTY, restMs, recordWork } from '../policy/webhooks/duty-cycle.ts';

// Entry point of the webhook listener thread: receives webhooks and posts the jobs that they mention. The thread is
// throttled, so that a flood of webhooks delays nothing else.

/** Max share of time that a throttled thread works. */
const MAX_SHARE = 0.1;

/** Work allowed before the throttle applies, ms. */
const BURST_MS = 20;

/** Interval between measurements, ms. */
const MEASURE_EVERY_MS = 2;

/** Longest single rest, ms. */
const MAX_REST_MS = 500;

/**
 * Returns a function to call before each piece of work. If the thread has used up its share, the call blocks it:
 * pending connections and bodies then wait in the kernel, where they cost nothing.
 */
export function createThrottle(): () => void {
  // Nobody notifies waiters of this value, so waiting for it just blocks the thread.
  const never = new Int32Array(new SharedArrayBuffer(4));
  let duty = NO_DUTY;
  let measuredAt = performance.now();
  let last: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const now = performance.now();
    if (now - measuredAt < MEASURE_EVERY_MS) return;
    const current = performance.eventLoopUtilization();
    duty = recordWork(
      duty,
      MAX_SHARE,
      current.active - last.active + current.idle - last.idle,
      current.active - last.active,
    );
    const pauseMs = Math.min(MAX_REST_MS, restMs(duty, MAX_SHARE, BURST_MS));
    if (pauseMs > 0) {
      Atomics.wait(never, 0, 0, pauseMs);
      duty = recordWork(duty, MAX_SHARE, pauseMs, 0);
    }
    measuredAt = performance.now();
    last = performance.eventLoopUtilization();
  };
}

function post(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

/** Mentions of the current turn of the event loop, which are posted together. */
let gathered: { readonly ids: string[]; readonly words: string[] } | undefined;
const receiver = await receiveWebhooks(
  workerData as ListenRequest,
  ({ ids, words }) => {
    if (gathered === undefined) {
      const mentions = (gathered = { ids: [], words: [] });
      setImmediate(() => {
        gathered = undefined;
        post({ type: 'mentions', mentions });
      });
    }
    gathered.ids.push(...ids);
    gathered.words.push(...words);
  },
  createThrottle(),
).catch((error: unknown) => {
  post({ type: 'failed', code: (error as NodeJS.ErrnoException).code ?? String(error) });
  return undefined;
});
if (receiver !== undefined) {
  parentPort?.on('message', (changes: readonly WatchChange[]) => {
    receiver.change(changes);
  });
  post({ type: 'listening', port: receiver.port });
}
