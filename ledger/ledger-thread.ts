/** What the ledger's thread starts with: it opens the ledger at the place that `workerData` names, and answers calls. */
import { workerData } from 'node:worker_threads';
import { serveJobs } from '../threads/serve-jobs.ts';
import { createLedger } from './create-ledger.ts';
import type { LedgerCall, LedgerPlace } from './ledger-in-thread.ts';
import { openDatabase } from './open-ledger.ts';

const place = workerData as LedgerPlace;
const opening = openDatabase(place).then(createLedger);
// Every call says so.
opening.catch(() => undefined);

serveJobs(async ({ method, args }: LedgerCall): Promise<unknown> => {
  const ledger = await opening;
  if (method === 'open') return ledger.id;
  // The other side names only methods of the ledger, with arguments of their types.
  return (ledger[method] as (...given: readonly unknown[]) => Promise<unknown>)(...args);
});
