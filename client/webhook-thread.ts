import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadMessage } from './webhooks/webhook-listener.ts';
import { receiveWebhooks, type ListenRequest } from './webhooks/webhook-receiver.ts';
import type { WatchChange } from './webhooks/mentioned-jobs.ts';
import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { NO_DUTY, restMs, recordWork } from '../policy/webhooks/duty-cycle.ts';

/** Max share of time that a throttled thread works. */
const SHARE = 0.1;

/** Work allowed before the throttle applies, ms. */
const BURST_MS = 20;

/** Interval between measurements, ms. */
const LOOK_EVERY_MS = 2;

/** Longest single rest, ms. */
const LONGEST_REST_MS = 500;

/**
 * Returns a function to call before each piece of work. If the thread has used up its share, the call blocks it:
 * pending connections and bodies then wait in the kernel, where they cost nothing.
 */
export function createThrottle(): () => void {
  const never = new Int32Array(new SharedArrayBuffer(4));
  let duty = NO_DUTY;
  let [lookedAt, last]: [number, EventLoopUtilization] = [performance.now(), performance.eventLoopUtilization()];
  return () => {
    const now = performance.now();
    if (now - lookedAt < LOOK_EVERY_MS) return;
    const current = performance.eventLoopUtilization();
    duty = recordWork(
      duty,
      SHARE,
      current.active - last.active + current.idle - last.idle,
      current.active - last.active,
    );
    const pauseMs = Math.min(LONGEST_REST_MS, restMs(duty, SHARE, BURST_MS));
    if (pauseMs > 0) {
      Atomics.wait(never, 0, 0, pauseMs);
      duty = recordWork(duty, SHARE, pauseMs, 0);
    }
    [lookedAt, last] = [performance.now(), performance.eventLoopUtilization()];
  };
}

/** Entry point of the webhook listener thread, which keeps a flood of webhooks from delaying anything else. */
function tell(news: ThreadMessage): void {
  parentPort?.postMessage(news);
}

let heard: { readonly ids: string[]; readonly words: string[] } | undefined;
const here = await receiveWebhooks(
  workerData as ListenRequest,
  ({ ids, words }) => {
    if (heard === undefined) {
      const told = (heard = { ids: [], words: [] });
      setImmediate(() => {
        heard = undefined;
        tell({ type: 'heard', heard: told });
      });
    }
    heard.ids.push(...ids);
    heard.words.push(...words);
  },
  createThrottle(),
).catch((error: unknown) => {
  tell({ type: 'failed', code: (error as NodeJS.ErrnoException).code ?? String(error) });
  return undefined;
});
if (here !== undefined) {
  parentPort?.on('message', (changes: readonly WatchChange[]) => {
    here.change(changes);
  });
  tell({ type: 'listening', port: here.port });
}
