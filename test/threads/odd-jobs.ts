/** The work of the threads in `thread-pool.test.ts`: odd jobs, by name. */
import { setTimeout as sleep } from 'node:timers/promises';
import { threadId, workerData } from 'node:worker_threads';
import { serveJobs } from '../../threads/serve-jobs.ts';

class Refusal extends Error {
  readonly code = 'E_ODD';
  readonly path = '/odd';
}

serveJobs(async (job: { readonly do: string; readonly bytes?: ArrayBuffer }): Promise<unknown> => {
  switch (job.do) {
    case 'measure':
      return job.bytes?.byteLength;
    case 'tell':
      return { threadId, workerData: workerData as unknown, env: Object.keys(process.env) };
    case 'fail':
      throw new Refusal('no', { cause: new RangeError('too odd') });
    case 'crash':
      setImmediate(() => {
        throw new Error('out of wits');
      });
      return sleep(60_000);
    case 'exit':
      return process.exit(7);
    default:
      return sleep(20, job.do);
  }
});
