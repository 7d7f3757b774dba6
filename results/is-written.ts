import { join } from 'node:path';
import { roundCredits } from '../contract/price-units.ts';
import { OUTCOMES } from '../contract/outcomes.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import type { Counts, Money } from '../ledger/batches/counts.ts';
import { SUMMARY_FILE } from './out-files.ts';
import { readJson } from './files.ts';
import type { Summary } from './summary.ts';

/** A batch's current state in the ledger. */
interface RecordedState {
  readonly batch: BatchRecord;
  readonly counts: Counts;
  readonly money: Money;
}

/**
 * Returns whether a folder has the files of a finished batch in the ledger's current state, going by the summary, which
 * is written last. Cheap: reads only that file, and compares each value, whatever else it holds. False if it cannot be
 * read.
 */
export async function isWritten(out: string, { batch, counts, money }: RecordedState): Promise<boolean> {
  if (batch.state !== 'closed' || batch.closedAt === null) return false;
  const summary = (await readJson(join(out, SUMMARY_FILE)).catch(() => undefined)) as
    Partial<Summary> | null | undefined;
  return (
    summary?.batch === batch.name &&
    summary.manifest_digest === batch.digest &&
    summary.api === batch.apiUrl &&
    summary.account === batch.account &&
    summary.state === 'closed' &&
    summary.ended_at === new Date(batch.closedAt).toISOString() &&
    (summary.halted ?? null) === batch.halted &&
    (summary.budget ?? null) === batch.settings.budget &&
    (summary.not_chosen ?? 0) === counts.notChosen &&
    OUTCOMES.every((outcome) => (summary.outcomes?.[outcome] ?? 0) === counts.outcomes[outcome]) &&
    (['charged', 'reserved', 'uncertain'] as const).every((sum) => summary.credits?.[sum] === roundCredits(money[sum]))
  );
}
