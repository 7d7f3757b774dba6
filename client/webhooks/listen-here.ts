import type { AddressInfo } from 'node:net';
import { HeardJobs } from './heard-jobs.ts';
import { createHintServer } from './hint-server.ts';

/** Where to listen for webhooks. */
export interface ListenRequest {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly secret: string;
  /** How long a mention of a job is remembered that nobody listens for yet, ms. */
  readonly memoryMs: number;
}

/** A job that is listened for from now on, or no longer. */
export interface WatchChange {
  readonly jobId: string;
  readonly isWatched: boolean;
}

/** A server of webhooks in this thread. */
export interface ListeningHere {
  readonly port: number;
  /** Changes which jobs are listened for, in order. */
  readonly change: (changes: readonly WatchChange[]) => void;
  close(): Promise<void>;
}

/** Listens in this thread. `rest` is called before each piece of work. Rejects if the port cannot be had. */
export async function listenHere(
  { host, port, secret, memoryMs }: ListenRequest,
  onHeard: (jobIds: readonly string[]) => void,
  rest?: () => void,
): Promise<ListeningHere> {
  const jobs = new HeardJobs(memoryMs);
  const hear = (said: string): void => {
    const heard = jobs.hear(said);
    if (heard.length > 0) onHeard(heard);
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
      for (const { jobId, isWatched } of changes) {
        if (!isWatched) jobs.forget(jobId);
        else if (jobs.watch(jobId)) onHeard([jobId]);
      }
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
