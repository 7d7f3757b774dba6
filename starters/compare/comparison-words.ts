import type { ComparisonView } from '../../client/compare/compare.ts';
import { hasResult, OUTCOMES } from '../../contract/outcomes.ts';
import { shareWord } from '../commands/flag-values.ts';
import { namedRow, number, plural } from '../terminal/words.ts';
import { tableLines } from '../terminal/table.ts';

/** The same of the first and of the second batch. */
type Pair<T> = readonly [T, T];
type Spread = ComparisonView['latency'][number]['acceptedMs'][0];
type Difference = ComparisonView['differing'][number];
/** A row as one of the batches has it; null if that batch lacks it. */
type Side = Difference['sides'][0];

/** A line of the table: a figure of both batches. */
interface Figure {
  readonly what: string;
  readonly values: Pair<string>;
  readonly note?: string;
}

/** Returns a comparison of two batches as lines: a table of figures, the rows that differ, the verdict. */
export function comparisonLines(found: ComparisonView): readonly string[] {
  const { batches, differing, rows } = found;
  const [one, other] = batches;
  const unlike = rows.differing + rows.only[0] + rows.only[1];
  const figures = [...endFigures(found), ...resultFigures(found), ...latencyFigures(found), ...costFigures(found)];
  return [
    `${sidesWords(batches)}: ${comparedWords(found)}`,
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
    ...(differing.length === 0 ? [] : ['', 'Rows that differ:']),
    ...differing.map((row) => `  ${differenceWords(row, batches)}`),
    ...(unlike > differing.length ? [`  and ${number(unlike - differing.length)} more; all of them: --out FILE`] : []),
    '',
    ...found.judgements.map(judgementLine),
    verdictLine(found),
  ];
}

/** Returns `"lines" (v1) beside "others" (legacy=20%)`; dialects are left out if both use v1. */
function sidesWords(batches: ComparisonView['batches']): string {
  const isShown = batches.some(({ apiDialect }) => apiDialect !== 'v1');
  return batches.map(({ name, apiDialect }) => `"${name}"${isShown ? ` (${apiDialect})` : ''}`).join(' beside ');
}

function comparedWords({ rows, batches }: ComparisonView): string {
  const parts = [`${plural(rows.compared, 'row')} compared`];
  if (rows.notRun > 0) parts.push(`${number(rows.notRun)} skipped or cancelled in one of them`);
  if (rows.open > 0) parts.push(`${number(rows.open)} not ended yet`);
  for (const side of [0, 1] as const)
    if (rows.only[side] > 0) parts.push(`${number(rows.only[side])} only in "${batches[side].name}"`);
  return parts.join(', ');
}

/** Rows by outcome, and failures by class. */
function endFigures({ outcomes, errors }: ComparisonView): readonly Figure[] {
  const counted = (side: 0 | 1, outcome: string): number =>
    outcomes.reduce((sum, { ended, rows }) => sum + (ended[side] === outcome ? rows : 0), 0);
  const ends = OUTCOMES.map((outcome) => ({ outcome, rows: [counted(0, outcome), counted(1, outcome)] as const }));
  return [
    ...ends
      .filter(({ rows }) => rows[0] + rows[1] > 0)
      .map(({ outcome, rows }) => ({ what: outcome, values: both(rows, number) })),
    ...errors.map(({ errorClass: name, rows }) => ({ what: `  ${name}`, values: both(rows, number) })),
  ];
}

/** Lengths, transcripts and inputs of rows that both batches have. */
function resultFigures({ length, words, differences }: ComparisonView): readonly Figure[] {
  const { change, unmeasured } = length;
  const unread = unmeasured === 0 ? '' : `; ${number(unmeasured)} files have no length, or are gone`;
  const figures: Figure[] = [];
  if (change !== null || unmeasured > 0)
    figures.push({
      what: `seconds of ${plural(length.rows, 'row')}`,
      values: both(length.seconds, number),
      note: `${change === null ? '' : `a row differs by ${percent(change.median)}, p95 ${percent(change.p95)}`}${unread}`,
    });
  if (words.rows > 0)
    figures.push({
      what: `words of ${plural(words.rows, 'row')}`,
      values: ['', ''],
      note: `${number(words.equal)} transcripts equal; ${number(words.different)} of ${number(words.of)} words differ`,
    });
  if (differences.input > 0)
    figures.push({
      what: 'input',
      values: ['', ''],
      note: `${plural(differences.input, 'row')} asked for different things`,
    });
  return figures;
}

function latencyFigures({ latency }: ComparisonView): readonly Figure[] {
  return latency.flatMap(({ step, acceptedMs, finishedMs }) => [
    { what: `${step}: created to accepted, median (p95)`, values: both(acceptedMs, spreadWords) },
    { what: `${step}: accepted to finished, median (p95)`, values: both(finishedMs, spreadWords) },
  ]);
}

function costFigures({ credits, attempts }: ComparisonView): readonly Figure[] {
  const each = both(credits.sums, (sum) => number(sum / Math.max(1, credits.rows)));
  return [
    {
      what: `credits of ${plural(credits.rows, 'row')} paid in both`,
      values: both(credits.sums, number),
      note: credits.rows === 0 ? '' : `${each[0]} and ${each[1]} a row`,
    },
    { what: 'requests', values: both(attempts, number) },
  ];
}

function judgementLine({ of, share, tolerance, within }: ComparisonView['judgements'][number]): string {
  return `${judgedWords(of)}: ${percent(share)}, up to ${shareWord(tolerance)} is allowed${within ? '' : ': TOO MUCH'}`;
}

function judgedWords(of: ComparisonView['judgements'][number]['of']): string {
  if (of.type === 'latency') return `the second is slower (${of.step}, ${of.until})`;
  return of.type === 'rows' ? 'rows that differ' : 'difference of credits';
}

function verdictLine({ verdict, rows }: ComparisonView): string {
  if (verdict === 'parity') return 'Parity within the tolerances.';
  if (verdict === 'differs') return 'They differ.';
  return `No difference so far; ${plural(rows.open, 'row')} not ended yet.`;
}

function spreadWords(spread: Spread): string {
  return spread === null ? '' : `${seconds(spread.median)} (${seconds(spread.p95)})`;
}

/** Describes a row that differs, or that only one batch has. */
function differenceWords(row: Difference, batches: ComparisonView['batches']): string {
  const side = row.sides[0] === null ? 1 : 0;
  const name = namedRow({ id: row.id, row: row.sides[side]?.row ?? 0 });
  const differences = row.differs.map((aspect) =>
    aspect === 'only' ? `only in "${batches[side].name}"` : DIFFERENCE_WORDS[aspect](row),
  );
  return `${name}: ${differences.join('; ')}`;
}

/** Describes each aspect in which a row differs: in the first batch, then in the second. */
const DIFFERENCE_WORDS: Readonly<Record<Exclude<Difference['differs'][number], 'only'>, (row: Difference) => string>> =
  {
    input: ({ input }) => `asked for another ${input.join(', ')}`,
    outcome: ({ sides }) => both(sides, endWords).join(', then '),
    error: ({ sides }) => `failed by ${both(sides, (side) => failureOf(side) ?? 'nothing known').join(', then by ')}`,
    format: ({ sides }) => both(sides, (side) => side?.extension ?? '').join(', then '),
    length: ({ sides }) => both(sides, (side) => `${number(side?.seconds ?? 0)} s`).join(', then '),
    words: ({ words }) => `${number(words?.different ?? 0)} of ${number(words?.of ?? 0)} words differ`,
  };

function endWords(side: Side): string {
  const failure = failureOf(side);
  return `${String(side?.outcome)}${failure === null ? '' : ` (${failure})`}`;
}

/** Returns the failure's class; null if the row has a result. */
function failureOf(side: Side): string | null {
  return side === null || hasResult(side.outcome) ? null : side.errorClass;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

/** Applies `words` to the values of both batches. */
function both<T>([one, other]: Pair<T>, words: (value: T) => string): Pair<string> {
  return [words(one), words(other)];
}
