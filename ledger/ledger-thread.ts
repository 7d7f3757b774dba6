/** Entry of the ledger's thread: opens the ledger at the place in `workerData`, and answers calls. */
import { workerData } from 'node:worker_threads';
import { serveJobs } from '../threads/serve-jobs.ts';
import { createLedger } from './create-ledger.ts';
import type { LedgerCall, LedgerPlace } from './ledger-in-thread.ts';
import { openDatabase } from './open-ledger.ts';

const place = workerData as LedgerPlace;
const opening = openDatabase(place).then(createLedger);
// Every call reports it.
opening.catch(() => undefined);

serveJobs(async ({ method, args }: LedgerCall): Promise<unknown> => {
  const ledger = await opening;
  if (method === 'open') return { id: ledger.id, origin: ledger.origin };
  // The other side names only methods of the ledger, with arguments of their types.
  return (ledger[method] as (...given: readonly unknown[]) => Promise<unknown>)(...args);
});
