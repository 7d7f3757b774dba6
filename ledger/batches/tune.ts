import type { BatchSettings } from '../../contract/batch.ts';
import type { Tunables, Tuning } from '../../contract/tunables.ts';
import { applyTuning } from '../../policy/tuning.ts';
import { requireBatch } from './read-batches.ts';
import { beginRatios } from '../money/charge-ratios.ts';
import { settingsColumns } from '../records.ts';
import type { Db } from '../schema.ts';
import { write } from '../database/transactions.ts';

/** Changes the given settings and returns all of them. Also works on a closed batch, for a redrive. */
export async function tune(db: Db, batch: string, tuning: Tuning): Promise<Tunables> {
  return write(db, async (tx) => {
    const { settings } = await requireBatch(tx, batch);
    const tuned = applyTuning(settings, tuning);
    const { submitsByRows: byRows = false } = settings;
    const submitsByRows = byRows && tuning.limits?.submits === undefined;
    const changed: BatchSettings = { ...settings, ...tuned, submitsByRows };
    await tx.updateTable('batches').set(settingsColumns(changed)).where('name', '=', batch).execute();
    if (settings.budget === null && tuned.budget !== null) await beginRatios(tx, batch);
    return tuned;
  });
}
