import type { UnlikeRow } from '../../batches/compare/compare-batches.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { PaidSide } from '../../policy/compare/batch-parity.ts';
import type { Pair, RowDifference } from '../../policy/compare/row-parity.ts';
import { number } from '../terminal/words.ts';
import { namedRow } from '../terminal/row-words.ts';

type Differing = Extract<UnlikeRow, { type: 'differs' }>;

/** A row that differs, or that only one batch has, in a line. */
export function unlikeRowLine(row: UnlikeRow, batches: Pair<BatchRecord>): string {
  if (row.type === 'only') return `${namedRow(row.row.row)}: only in "${batches[row.side].name}"`;
  const words = row.parity.differences.map((name) => WORDS[name](row));
  return `${namedRow(row.rows[0].row)}: ${words.join('; ')}`;
}

/** In what a row differs, of the first batch and then of the second. */
const WORDS: Readonly<Record<RowDifference, (row: Differing) => string>> = {
  input: ({ input }) => `asked for another ${input.join(', ')}`,
  outcome: ({ sides }) => `${endWords(sides[0])}, then ${endWords(sides[1])}`,
  error: ({ sides }) =>
    `failed by ${sides[0].failure ?? 'nothing known'}, then by ${sides[1].failure ?? 'nothing known'}`,
  format: ({ sides }) => `${sides[0].extension ?? ''}, then ${sides[1].extension ?? ''}`,
  length: ({ sides }) => `${number(sides[0].seconds ?? 0)} s, then ${number(sides[1].seconds ?? 0)} s`,
  words: ({ parity }) => `${number(parity.words?.different ?? 0)} of ${number(parity.words?.of ?? 0)} words differ`,
};

function endWords({ outcome, failure }: PaidSide): string {
  return failure === null ? String(outcome) : `${String(outcome)} (${failure})`;
}
