import { defaultOut } from '../../contract/batch-name.ts';
import type { Tuning } from '../../contract/tunables.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { viewMoney } from '../look/money-view.ts';
import { nextSteps, type NextStep } from '../look/next-steps.ts';
import { readEnd } from '../look/write-files.ts';
import { chooseBatch } from '../open-records.ts';
import { VoxbatchError } from '../problem.ts';
import { refuseLoading } from '../refuse-loading.ts';
import type { Settings } from '../settings.ts';
import { tellWorkers } from './tell-workers.ts';

/** What to change in a batch. */
export interface TuneRequest {
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly batch: BatchRecord;
  /** Absent members stay as they are. */
  readonly tuning: Tuning;
  readonly say: (line: string) => void;
}

/**
 * Changes settings of a batch. They are in the ledger from then on, and every paid request reads them there; the
 * workflow is told because lanes divide window and submits among them. Only the given settings change, so two callers
 * that tune different ones at once both succeed.
 *
 * Returns whether workers were told; false if nobody works on the batch. Throws {@link VoxbatchError} (`loading`,
 * `no-price`, `untold`).
 */
export async function tuneBatch({ settings, ledger, batch, tuning, say }: TuneRequest): Promise<boolean> {
  refuseLoading(batch);
  await requirePrices(ledger, batch, tuning);
  await ledger.tune(batch.name, tuning);
  return batch.state === 'open' && (await tellWorkers({ settings, ledger, batch: batch.name, say }));
}

/** A batch with its present settings. */
export interface Tuned {
  readonly batch: BatchRecord;
  readonly money: ReturnType<typeof viewMoney>;
  /** Steps that a finished batch leaves; of another one none. */
  readonly next: readonly NextStep[];
}

/** How a batch stands after its settings were changed, or looked at. */
export async function readTuned(ledger: Ledger, name: string): Promise<Tuned> {
  const batch = await chooseBatch(ledger, name);
  const money = await ledger.money(name);
  const sums = { batch, money, counts: await ledger.counts(name), out: defaultOut(name) };
  const next = batch.state === 'closed' ? nextSteps(await readEnd(ledger, sums)) : [];
  return { batch, money: viewMoney(money, batch.settings.budget), next };
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
