import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadNews } from './webhooks/hint-listener.ts';
import { listenHere, type ListenRequest, type WatchChange } from './webhooks/listen-here.ts';
import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { NO_DUTY, restFor, worked } from '../policy/webhooks/duty-cycle.ts';

/** The most that a thread with a throttle works, as a share of the time. */
const SHARE = 0.1;
/** Work that is free, ms. */
const BURST_MS = 20;
/** How often it is looked at, ms. */
const LOOK_EVERY_MS = 2;
/** The longest rest, ms. */
const LONGEST_REST_MS = 500;

/**
 * A function that a thread calls before each piece of work. If the thread has worked too much, it puts it to sleep,
 * and with it everything it would have to do: connections and bodies wait in the kernel, where they cost nothing.
 */
export function createThrottle(): () => void {
  const never = new Int32Array(new SharedArrayBuffer(4));
  let duty = NO_DUTY;
  let [lookedAt, last]: [number, EventLoopUtilization] = [performance.now(), performance.eventLoopUtilization()];
  return () => {
    const now = performance.now();
    if (now - lookedAt < LOOK_EVERY_MS) return;
    const current = performance.eventLoopUtilization();
    duty = worked(duty, SHARE, current.active - last.active + current.idle - last.idle, current.active - last.active);
    const restMs = Math.min(LONGEST_REST_MS, restFor(duty, SHARE, BURST_MS));
    if (restMs > 0) {
      Atomics.wait(never, 0, 0, restMs);
      duty = worked(duty, SHARE, restMs, 0);
    }
    [lookedAt, last] = [performance.now(), performance.eventLoopUtilization()];
  };
}

/** The thread that listens for webhooks, so that a flood of them holds up nobody. */
function tell(news: ThreadNews): void {
  parentPort?.postMessage(news);
}

let heard: string[] = [];
const here = await listenHere(
  workerData as ListenRequest,
  (ids) => {
    if (heard.length === 0) {
      setImmediate(() => {
        tell({ type: 'heard', ids: heard });
        heard = [];
      });
    }
    heard.push(...ids);
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
