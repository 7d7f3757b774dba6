import type { AddressInfo } from 'node:net';
import { changeWatched, HeardJobs, type Heard, type WatchChange } from './heard-jobs.ts';
import { createHintServer } from './hint-server.ts';

/** Where to listen for webhooks. */
export interface ListenRequest {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly secret: string;
  /** How long to remember mentions of jobs that nobody watches yet, ms. */
  readonly memoryMs: number;
}

/** A webhook server in this thread. */
export interface ListeningHere {
  readonly port: number;
  /** Applies changes to the watched jobs, in order. */
  readonly change: (changes: readonly WatchChange[]) => void;
  close(): Promise<void>;
}

/** Listens in this thread. `rest` is called before each piece of work. Rejects if the port is unavailable. */
export async function listenHere(
  { host, port, secret, memoryMs }: ListenRequest,
  onHeard: (heard: Heard) => void,
  rest?: () => void,
): Promise<ListeningHere> {
  const jobs = new HeardJobs(memoryMs);
  const hear = (said: string): void => {
    const words: string[] = [];
    const ids = jobs.hear(said, words);
    if (ids.length + words.length > 0) onHeard({ ids, words });
  };
  const server = createHintServer({ secret, hear, rest });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    change: (changes) => {
      const ids = changeWatched(jobs, changes);
      if (ids.length > 0) onHeard({ ids, words: [] });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
