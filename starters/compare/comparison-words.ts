import type { BatchComparison, UnlikeRow } from '../../batches/compare/compare-batches.ts';
import { dialectChoiceOf } from '../../contract/batch.ts';
import { OUTCOMES } from '../../contract/outcomes.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { Judgement } from '../../policy/compare/judge-parity.ts';
import type { Spread } from '../../policy/compare/quantile.ts';
import type { Pair } from '../../policy/compare/row-parity.ts';
import { number } from '../terminal/words.ts';
import { rowsInWords } from '../terminal/row-words.ts';
import { tableLines } from '../terminal/table.ts';
import { unlikeRowLine } from './unlike-row-words.ts';
import { shareWord } from './share-word.ts';

/** A figure of both batches. */
interface Figure {
  readonly what: string;
  readonly values: Pair<string>;
  readonly note?: string;
}

/** A comparison for people. `named`: the first of the rows that differ. */
export function comparisonLines(found: BatchComparison, named: readonly UnlikeRow[]): readonly string[] {
  const [one, other] = found.batches;
  const unlike = found.rows.differing + found.only[0] + found.only[1];
  const figures = [...endFigures(found), ...resultFigures(found), ...latencyFigures(found), ...costFigures(found)];
  return [
    `${sidesWords(found.batches)}: ${comparedWords(found)}`,
    '',
    ...tableLines(
      [
        { title: '', value: ({ what }: Figure) => what },
        { title: one.name, value: ({ values }: Figure) => values[0], align: 'right' },
        { title: other.name, value: ({ values }: Figure) => values[1], align: 'right' },
        { title: '', value: ({ note = '' }: Figure) => note },
      ],
      figures,
    ),
    ...(named.length === 0 ? [] : ['', 'Rows that differ:']),
    ...named.map((row) => `  ${unlikeRowLine(row, found.batches)}`),
    ...(unlike > named.length ? [`  and ${number(unlike - named.length)} more; all of them: --out FILE`] : []),
    '',
    ...found.judgements.map(judgementLine),
    verdictLine(found),
  ];
}

/** `"lines" (v1) beside "others" (legacy=20%)`; nothing is said of dialects where both speak v1. */
function sidesWords(batches: Pair<BatchRecord>): string {
  const spoken = batches.map(({ settings }) => dialectChoiceOf(settings));
  const isTold = spoken.some((choice) => choice !== 'v1');
  const sides = batches.map(({ name }, side) => (isTold ? `"${name}" (${spoken[side] ?? 'v1'})` : `"${name}"`));
  return sides.join(' beside ');
}

function comparedWords({ rows, only, batches }: BatchComparison): string {
  const parts = [`${rowsInWords(rows.compared)} compared`];
  if (rows.notRun > 0) parts.push(`${number(rows.notRun)} skipped or cancelled in one of them`);
  if (rows.open > 0) parts.push(`${number(rows.open)} not ended yet`);
  for (const side of [0, 1] as const)
    if (only[side] > 0) parts.push(`${number(only[side])} only in "${batches[side].name}"`);
  return parts.join(', ');
}

/** How rows ended, and why they failed. */
function endFigures({ outcomes, errors }: BatchComparison): readonly Figure[] {
  const counted = (side: 0 | 1, outcome: string): number =>
    outcomes.reduce((sum, { ended, rows }) => sum + (ended[side] === outcome ? rows : 0), 0);
  const ends = OUTCOMES.map((outcome) => ({ outcome, rows: [counted(0, outcome), counted(1, outcome)] as const }));
  return [
    ...ends
      .filter(({ rows }) => rows[0] + rows[1] > 0)
      .map(({ outcome, rows }) => ({ what: outcome, values: both(rows, number) })),
    ...errors.map(({ class: name, rows }) => ({ what: `  ${name}`, values: both(rows, number) })),
  ];
}

/** How the results compare. */
function resultFigures({ length, words, differences, unmeasured }: BatchComparison): readonly Figure[] {
  const { change } = length;
  const unread = unmeasured === 0 ? '' : `; ${number(unmeasured)} files have no length, or are gone`;
  const figures: Figure[] = [];
  if (change !== null || unmeasured > 0)
    figures.push({
      what: `seconds of ${rowsInWords(length.rows)}`,
      values: both(length.seconds, number),
      note: `${change === null ? '' : `a row differs by ${percent(change.median)}, p95 ${percent(change.p95)}`}${unread}`,
    });
  if (words.rows > 0)
    figures.push({
      what: `words of ${rowsInWords(words.rows)}`,
      values: ['', ''],
      note: `${number(words.equal)} transcripts equal; ${number(words.different)} of ${number(words.of)} words differ`,
    });
  if (differences.input > 0)
    figures.push({
      what: 'input',
      values: ['', ''],
      note: `${rowsInWords(differences.input)} asked for different things`,
    });
  return figures;
}

function latencyFigures({ latency }: BatchComparison): readonly Figure[] {
  return latency.flatMap(({ step, accepted, finished }) => [
    { what: `${step}: created to accepted, median (p95)`, values: both(accepted, spreadWords) },
    { what: `${step}: accepted to finished, median (p95)`, values: both(finished, spreadWords) },
  ]);
}

function costFigures({ credits, attempts }: BatchComparison): readonly Figure[] {
  const each = both(credits.sums, (sum) => number(sum / Math.max(1, credits.rows)));
  return [
    {
      what: `credits of ${rowsInWords(credits.rows)} paid in both`,
      values: both(credits.sums, number),
      note: credits.rows === 0 ? '' : `${each[0]} and ${each[1]} a row`,
    },
    { what: 'requests', values: both(attempts, number) },
  ];
}

function judgementLine({ of, share, tolerance, isWithin }: Judgement): string {
  const what =
    of.type === 'latency'
      ? `the second is slower (${of.step}, ${of.until})`
      : of.type === 'rows'
        ? 'rows that differ'
        : 'difference of credits';
  return `${what}: ${percent(share)}, up to ${shareWord(tolerance)} is allowed${isWithin ? '' : ': TOO MUCH'}`;
}

function verdictLine({ verdict, rows }: BatchComparison): string {
  if (verdict === 'parity') return 'Parity within the tolerances.';
  if (verdict === 'differs') return 'They differ.';
  return `No difference so far; ${rowsInWords(rows.open)} not ended yet.`;
}

function spreadWords(spread: Spread | null): string {
  return spread === null ? '' : `${seconds(spread.median)} (${seconds(spread.p95)})`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

function both<T>([one, other]: Pair<T>, words: (value: T) => string): Pair<string> {
  return [words(one), words(other)];
}
