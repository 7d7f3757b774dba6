/** A ledger's thread for `ledger-in-thread.test.ts` that dies at the first question, with work under way. */
import { serveJobs } from '../../threads/serve-jobs.ts';

serveJobs(({ method }: { method: string }) => {
  if (method === 'open') return Promise.resolve({ id: 'id', names: ['intend', 'counts', 'money'] });
  if (method === 'counts') process.exit(3);
  return new Promise(() => undefined);
});
