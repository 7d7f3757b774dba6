import type { Tuning } from '../contract/tunables.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { VoxbatchError } from './problem.ts';
import { refuseLoading } from './refuse-loading.ts';
import type { Settings } from './settings.ts';
import { tellWorkers } from './tell-workers.ts';

/** What is to be changed of a batch. */
export interface TuneRequest {
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly batch: BatchRecord;
  /** What is left out stays. */
  readonly tuning: Tuning;
  readonly say: (line: string) => void;
}

/**
 * Changes settings of a batch. The ledger has them from then on, and every paid request reads them there; the workflow is told because lanes
 * share out window and submits. Only what is given changes, so two who tune different things at once both have their way.
 *
 * Returns whether workers were told; false if nobody works on the batch. Throws {@link VoxbatchError} (`loading`, `no-price`, `untold`).
 */
export async function tuneBatch({ settings, ledger, batch, tuning, say }: TuneRequest): Promise<boolean> {
  refuseLoading(batch);
  await requirePrices(ledger, batch, tuning);
  await ledger.tune(batch.name, tuning);
  return batch.state === 'open' && (await tellWorkers({ settings, ledger, batch: batch.name, say }));
}

/**
 * Under a budget a row without a price cannot be sent at all, so a budget that would end such rows is refused. Throws
 * {@link VoxbatchError} (`no-price`).
 */
export async function requirePrices(ledger: Ledger, batch: BatchRecord, { budget }: Tuning): Promise<void> {
  if (budget == null || batch.state === 'closed') return;
  for await (const { row } of ledger.scanRows(batch.name)) {
    if (row.outcome !== null || row.quoted !== null) continue;
    throw new VoxbatchError({ type: 'no-price', batch: batch.name, row: row.row, id: row.id });
  }
}
