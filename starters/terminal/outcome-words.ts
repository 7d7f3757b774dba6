import { OUTCOMES, type Outcome } from '../../contract/outcomes.ts';
import type { Counts } from '../../ledger/record-types.ts';

/** How rows ended, for people: rows that were left out on purpose are separate from those that the budget skipped. */
export type EndWord = Outcome | 'not chosen';

/** The outcomes that any row has, with their rows. */
export function endsOf({ outcomes, notChosen }: Counts): readonly (readonly [EndWord, number])[] {
  const counted = { ...outcomes, skipped: outcomes.skipped - notChosen, 'not chosen': notChosen };
  return [...OUTCOMES, 'not chosen' as const].flatMap((word) => (counted[word] > 0 ? [[word, counted[word]]] : []));
}

interface OutcomeWords {
  /** For somebody who reads it the first time. */
  readonly meaning: string;
  /** Whether the progress line counts such rows: always, once there are any, or never. */
  readonly inProgress: 'always' | 'if any' | 'never';
}

/** What is said of an outcome, in the order of the progress line. What can be done about it is in `next-steps.ts`. */
export const OUTCOME_WORDS: Readonly<Record<EndWord, OutcomeWords>> = {
  succeeded: { meaning: 'result stored', inProgress: 'never' },
  cached: { meaning: 'result reused; nothing paid', inProgress: 'never' },
  failed: { meaning: 'no result; see _error_class and _message', inProgress: 'always' },
  unknown: { meaning: 'may have been charged; not sent again', inProgress: 'always' },
  unfit: { meaning: 'paid for and kept; failed a check', inProgress: 'if any' },
  skipped: { meaning: 'not sent: over the budget, or --cached-only', inProgress: 'if any' },
  overdue: { meaning: 'job was still running at the API; can be fetched later, free', inProgress: 'if any' },
  cancelled: { meaning: 'not sent, or only in part: the batch ended early', inProgress: 'if any' },
  'not chosen': { meaning: 'not sent: left out by --limit or --sample', inProgress: 'never' },
};

/** `1 failed`, `0 unknown`: the counts of the progress line that come always, or only if there are such rows. */
export function progressCounts(counts: Counts, which: 'always' | 'if any'): readonly string[] {
  const ends = new Map(endsOf(counts));
  return (Object.keys(OUTCOME_WORDS) as EndWord[])
    .filter((word) => OUTCOME_WORDS[word].inProgress === which)
    .map((word) => [word, ends.get(word) ?? 0] as const)
    .filter(([, rows]) => which === 'always' || rows > 0)
    .map(([word, rows]) => `${String(rows)} ${word}`);
}
