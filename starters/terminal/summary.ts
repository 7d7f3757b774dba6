import { relative } from 'node:path';
import { OUTCOMES } from '../../contract/outcomes.ts';
import type { BatchRecord, Counts, Money } from '../../ledger/record-types.ts';
import type { Leftovers } from '../../batches/leftovers.ts';
import { moneyWords } from './money.ts';
import { nextSteps } from './next-steps.ts';
import { clock, doneOf } from './progress.ts';
import { rowsInWords } from '../row-words.ts';

/** What an outcome means, in words for somebody who reads it the first time. */
const MEANINGS = {
  succeeded: 'result stored',
  cached: 'result reused; nothing paid',
  failed: 'no result; see _error_class and _message',
  unfit: 'paid for and kept; failed a check',
  skipped: 'not sent: over the budget',
  unknown: 'may have been charged; not sent again',
  overdue: 'job was still running at the API; can be fetched later, free',
  cancelled: 'not sent, or only in part: the batch ended early',
} as const;

/** The end of a run, in a few lines: what became of the rows, what it cost, where everything is. */
export function summaryLines(end: {
  readonly batch: BatchRecord;
  readonly counts: Counts;
  readonly money: Money;
  /** Absolute. */
  readonly out: string;
  readonly leftovers: Leftovers;
}): readonly string[] {
  const { batch, counts, money } = end;
  const rows = OUTCOMES.filter((outcome) => counts.outcomes[outcome] > 0).map(
    (outcome) => `  ${String(counts.outcomes[outcome]).padStart(6)}  ${outcome.padEnd(10)} ${MEANINGS[outcome]}`,
  );
  const open = counts.total - doneOf(counts);
  if (open > 0) rows.push(`  ${String(open).padStart(6)}  ${'unfinished'.padEnd(10)} waiting or in flight`);
  const took =
    batch.startedAt === null || batch.closedAt === null ? '' : ` in ${clock(batch.closedAt - batch.startedAt)}`;
  return [
    `Batch "${batch.name}": ${rowsInWords(counts.total)}${took}`,
    ...rows,
    `  credits: ${moneyWords(money, batch.settings.budget)}`,
    `  results: ${shortPath(end.out)}/results.csv    media: ${shortPath(end.out)}/media/`,
    ...(batch.state === 'closed' ? nextSteps({ ...end, out: shortPath(end.out) }) : []).map((step) => `  ${step}`),
  ];
}

/** A path as a person in the working directory would write it. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === '' ? '.' : short.startsWith('..') ? path : short;
}
