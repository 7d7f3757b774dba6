import { outcomesThat } from '../../contract/outcomes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { messageShape } from '../../policy/rows/group-reasons.ts';
import type { BatchView } from './view-batch.ts';

/** Rows that failed for one reason. */
export interface FailureGroup {
  readonly class: string;
  readonly message: string;
  readonly rows: number;
  /** The number and id of the first row, for `explain`. */
  readonly firstRow: number;
  readonly firstId: string;
}

/** The reasons for rows without a result: the five most frequent ones, most rows first, and what they leave out. */
export interface FailureGroups {
  readonly failures: readonly FailureGroup[];
  /** `kinds`: how many further reasons were distinguished; `rows`: how many rows have further reasons. */
  readonly moreFailures: { readonly kinds: number; readonly rows: number };
}

/** The value before rows were read, and for a batch without failures. */
export const NO_FAILURES: FailureGroups = { failures: [], moreFailures: { kinds: 0, rows: 0 } };

/** Max reasons returned. */
const MAX_REASONS = 5;

/**
 * Groups a batch's rows without a result by failure class and {@link messageShape} (the message without its numbers).
 */
export async function groupFailures(
  ledger: Ledger,
  { batch, counts }: Pick<BatchView, 'batch' | 'counts'>,
): Promise<FailureGroups> {
  const groups = new Map<string, Omit<FailureGroup, 'firstId'>>();
  let all = 0;
  for (const outcome of outcomesThat(({ hasReason }) => hasReason)) {
    // Rows that `--limit` or `--sample` left out are skipped without a failure.
    const notFailed = outcome === 'skipped' ? counts.notChosen : 0;
    if (counts.outcomes[outcome] === notFailed) continue;
    const found = await ledger.failureMessages(batch.name, { outcome, isChosen: notFailed > 0 });
    all += found.others;
    for (const { class: name, message, rows, firstRow } of found.groups) {
      all += rows;
      const key = JSON.stringify([name, messageShape(message)]);
      const known = groups.get(key);
      const first = known === undefined || firstRow < known.firstRow ? { message, firstRow } : known;
      groups.set(key, {
        class: name,
        rows: (known?.rows ?? 0) + rows,
        message: first.message,
        firstRow: first.firstRow,
      });
    }
  }
  const shown = [...groups.values()].sort((a, b) => b.rows - a.rows || a.firstRow - b.firstRow).slice(0, MAX_REASONS);
  const numbers = shown.map(({ firstRow }) => firstRow);
  const ids = new Map((await ledger.rowsNumbered(batch.name, numbers)).map(({ row, id }) => [row, id]));
  const shownRows = shown.reduce((sum, group) => sum + group.rows, 0);
  return {
    failures: shown.map((group) => ({ ...group, firstId: ids.get(group.firstRow) ?? '' })),
    moreFailures: { kinds: groups.size - shown.length, rows: all - shownRows },
  };
}
