import { adoptJob, type SettledRow } from '../../batches/reconcile/decisions.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { WorkerWorld } from '../../worker/dependencies.ts';
import { freeReadsOf } from '../../worker/free-reads.ts';
import { BATCH } from './rows.ts';

/** Gives a row a job by a person's word, as `reconcile --adopt` does. */
export async function adopt(world: WorkerWorld, row: number, jobId: string): Promise<SettledRow> {
  return adoptJob(world.ledger, freeReadsOf(world), await recordOf(world.ledger), { row, jobId }, 'ann@invocation');
}

/** The batch of these tests. */
export async function recordOf(ledger: Ledger): Promise<BatchRecord> {
  const batch = await ledger.findBatch(BATCH);
  if (batch === undefined) throw new Error('no batch');
  return batch;
}
