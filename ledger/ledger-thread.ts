/**
 * Entry of the ledger's thread, which `ledger-in-thread.ts` starts. Opens the ledger at the place in `workerData` on
 * the first call, and answers calls.
 */
import { workerData } from 'node:worker_threads';
import { serveJobs } from '../threads/serve-jobs.ts';
import { addOperations } from '../contract/own-operations/own-operation-rules.ts';
import type { OwnOperation } from '../contract/own-operations/own-operation.ts';
import { defined } from '../contract/defined.ts';
import type { LedgerCall, LedgerPlace, OpenedLedger } from './ledger-in-thread.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { loadMethods } from './methods.ts';
import { openDatabase } from './open-ledger.ts';

const { operations, ...place } = workerData as LedgerPlace & { readonly operations: readonly OwnOperation[] };
addOperations(operations);
const loading = loadMethods();
let opening: Promise<Ledger> | undefined;

/** Opens the ledger. If that fails, the next call tries again. `goesOn`: see `LedgerPlace`. */
async function open(goesOn: boolean): Promise<Ledger> {
  try {
    return await openDatabase({ ...place, goesOn }).then(createLedger);
  } catch (error) {
    opening = undefined;
    throw error;
  }
}

serveJobs(async ({ method, args }: LedgerCall): Promise<unknown> => {
  // Opened lazily: the thread may start early, before it is clear whether the ledger is needed.
  opening ??= open(method !== 'open');
  const [ledger] = await Promise.all([opening, loading]);
  if (method === 'open') {
    const { id, origin, former, readOnly } = ledger;
    return { id, origin, names: Object.keys(ledger), ...defined({ former, readOnly }) } satisfies OpenedLedger;
  }
  // The other side only calls methods of the ledger, with correctly typed arguments.
  return (ledger[method] as (...given: readonly unknown[]) => Promise<unknown>)(...args);
});
