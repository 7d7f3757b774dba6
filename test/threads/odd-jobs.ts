/** The work of the threads in `thread-pool.test.ts`: odd jobs, by name. */
import { setTimeout as sleep } from 'node:timers/promises';
import { threadId, workerData } from 'node:worker_threads';
import { serveJobs } from '../../threads/serve-jobs.ts';

class Refusal extends Error {
  readonly code = 'E_ODD';
  readonly path = '/odd';
}

serveJobs(async (job: { readonly do: string }): Promise<unknown> => {
  switch (job.do) {
    case 'tell':
      return { threadId, workerData: workerData as unknown, env: Object.keys(process.env) };
    case 'fail':
      throw new Refusal('no', { cause: new RangeError('too odd') });
    case 'crash':
      setImmediate(() => {
        throw new Error('out of wits');
      });
      return sleep(60_000);
    case 'spin':
      for (;;) Math.sqrt(2);
    case 'spin in promises':
      for (;;) await Promise.resolve();
    case 'hang':
      return new Promise(() => undefined);
    case 'hoard':
      for (const hoard: number[][] = []; ;) hoard.push(new Array<number>(100_000).fill(hoard.length));
    case 'exit':
      return process.exit(7);
    default:
      return sleep(20, job.do);
  }
});
