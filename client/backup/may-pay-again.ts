import { isUsableName } from '../../contract/batch-name.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BackedUpBatch } from './backup-view.ts';

/** The batches of a backup, the newest first, with the rows of each that may have been sent since. */
export async function backedUpBatches(
  ledger: Pick<Ledger, 'listBatches' | 'counts'>,
): Promise<readonly BackedUpBatch[]> {
  const batches = (await ledger.listBatches()).filter(({ name }) => isUsableName(name));
  const seen: BackedUpBatch[] = [];
  for (const { name, rows, state } of batches.toSorted((one, other) => other.number - one.number)) {
    const { states } = await ledger.counts(name);
    seen.push({
      ...{ batch: name, rows, state },
      waiting: states.waiting + states.blocked,
      running: states.processing + states.fetching + states.verifying,
      inDoubt: states.submitting,
    });
  }
  return seen;
}
