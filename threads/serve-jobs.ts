import { parentPort } from 'node:worker_threads';
import { packError, type ThrownError } from './thrown-error.ts';

/** A job on its way to a thread. */
export interface PostedJob {
  readonly id: number;
  readonly job: unknown;
}

/** The result of a job. */
export type PostedEnd =
  { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: ThrownError };

/**
 * The thread's side of a `ThreadPool`: starts jobs as they come and posts their results; results that come together
 * share a message. Called by the thread's entry module. Jobs and results must survive structured clone.
 */
export function serveJobs(work: (job: never) => Promise<unknown>): void {
  const port = parentPort;
  if (port === null) throw new Error('Expected to run in a thread, but this is the main one.');
  let ends: PostedEnd[] = [];
  const post = (end: PostedEnd): void => {
    ends.push(end);
    if (ends.length > 1) return;
    setImmediate(() => {
      port.postMessage(ends);
      ends = [];
    });
  };
  // An empty message tells that the code is loaded.
  port.postMessage(ends);
  const begin = ({ id, job }: PostedJob): void => {
    work(job as never).then(
      (result) => {
        post({ id, result });
      },
      (error: unknown) => {
        post({ id, error: packError(error) });
      },
    );
  };
  port.on('message', (jobs: readonly PostedJob[]) => {
    for (const job of jobs) begin(job);
  });
}
