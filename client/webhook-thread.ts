import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadNews } from './webhooks/hint-listener.ts';
import { listenHere, type ListenRequest, type WatchChange } from './webhooks/listen-here.ts';
import { createThrottle } from './webhooks/throttle.ts';

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
