import { outcomesThat } from '../../contract/outcomes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchView } from './view-batch.ts';

/** Rows that failed for one reason. */
export interface FailureGroup {
  readonly class: string;
  readonly message: string;
  readonly rows: number;
  /** The first of them, for `explain`: its number, and its id. */
  readonly firstRow: number;
  readonly firstId: string;
}

/** Max reasons returned. */
const MOST = 5;
/** Max reasons distinguished; messages with numbers could be as many as rows. */
const KEPT = 1_000;

/** A message without its row's job, time and price; otherwise there would be as many messages as rows. */
function withoutNames(message: string): string {
  return message
    .replace(/\b(job) \S+|\b(after|costs|cost) [\d.]+/gi, '$1$2')
    .replace(/(?<![\d.])[\d.]+ spent/, 'spent');
}

/** The five most frequent reasons for rows without a result, most rows first. */
export async function groupFailures(
  ledger: Ledger,
  { batch, counts }: Pick<BatchView, 'batch' | 'counts'>,
): Promise<readonly FailureGroup[]> {
  const groups = new Map<string, FailureGroup>();
  for (const outcome of outcomesThat(({ hasReason }) => hasReason)) {
    const notFailed = outcome === 'skipped' ? counts.notChosen : 0;
    if (counts.outcomes[outcome] === notFailed) continue;
    const wanted = notFailed > 0 ? { outcome, isNotChosen: false } : { outcome };
    for await (const { row } of ledger.scanRows(batch.name, wanted)) {
      const { failure } = row;
      if (failure === null) continue;
      const key = `${failure.class} ${withoutNames(failure.message)}`;
      const known = groups.get(key);
      if (known === undefined && groups.size >= KEPT) continue;
      groups.set(key, {
        class: failure.class,
        message: known?.message ?? failure.message,
        rows: (known?.rows ?? 0) + 1,
        firstRow: known?.firstRow ?? row.row,
        firstId: known?.firstId ?? row.id,
      });
    }
  }
  return [...groups.values()].sort((a, b) => b.rows - a.rows || a.firstRow - b.firstRow).slice(0, MOST);
}
