import { chosenOf, endedOf, endsOf, type EndWord } from '../../client/status/counts-view.ts';
import { workSpan } from '../../client/status/pace.ts';
import { shortPath } from '../../client/status/continue-command.ts';
import { CONFIRM_FIRST } from '../trust/member-words.ts';
import { damagedLines, inCredits, moneyWords } from './money.ts';
import { nextSteps } from './next-steps.ts';
import type { EndOfRun } from '../../client/results/write-files.ts';
import { dialectWords, form, number, chosenInWords, rowsInWords, tookWords } from './words.ts';
import { indent, tableLines, type TableColumn } from './table.ts';

/** What a finished sample shows about the rows that it left out: how many, and their likely price. */
type Pilot = NonNullable<EndOfRun['pilot']>;
type PilotRow = Pilot['rows'][number];
type ComparedPrice = Pilot['prices']['operations'][number];

/** Describes a finished sample: its rows, their prices, and the likely cost of the whole batch. */
export function pilotLines(pilot: Pilot): readonly string[] {
  const { rows, run, prices } = pilot;
  return [
    `Tried so far: ${rowsInWords(run)} of ${number(run + pilot.left)}`,
    ...indent(tableLines(ROW_COLUMNS, rows)),
    ...indent(run > rows.length ? [`and ${number(run - rows.length)} more, in results.csv`] : []),
    'Prices in credits',
    ...indent(tableLines(PRICE_COLUMNS, prices.operations)),
    wholeWords(pilot),
    ...budgetWords(pilot),
  ];
}

/** Returns what the whole batch will likely cost, and whether that is what was quoted. */
function wholeWords({ prices, whole, run }: Pilot): string {
  const areChargesKnown = prices.operations.some(({ requests, unquoted }) => requests + unquoted.requests > 0);
  const expected = whole.expected === null ? 'an unknown sum' : `about ${inCredits(whole.expected)}`;
  if (!areChargesKnown) return `The API did not say what it charged. By the quotes, the whole batch costs ${expected}.`;
  const quoted = whole.quoted === null ? 'no sum was quoted' : `${number(whole.quoted)} were quoted`;
  return prices.differs
    ? `At these prices the whole batch costs ${expected}; ${quoted}.`
    : `The API charged ${form(run, 'it', 'them')} as quoted: the whole batch costs ${expected}.`;
}

/** Returns a warning if the budget will not pay for the other rows. */
function budgetWords({ prices, budgetLeft, left }: Pilot): readonly string[] {
  const { expected } = prices.rest;
  if (budgetLeft === null || expected === null || expected <= budgetLeft) return [];
  return [
    `WARNING: the budget will not reach: ${inCredits(budgetLeft)} left of it, about ${number(expected)} needed for the other ${rowsInWords(left)}.`,
  ];
}

const orDash = (value: number | null): string => (value === null ? '-' : number(value));

const ROW_COLUMNS: readonly TableColumn<PilotRow>[] = [
  { title: 'row', value: ({ row }) => String(row), align: 'right' },
  { title: 'id', value: ({ id }) => id },
  { title: 'kind', value: ({ kind }) => kind },
  { title: 'voice', value: ({ voice }) => voice ?? '-' },
  { title: 'outcome', value: ({ outcome }) => outcome ?? 'unfinished' },
  {
    title: 'credits',
    value: ({ credits, creditsKind }) => `${creditsKind === 'estimated' ? '~' : ''}${number(credits)}`,
    align: 'right',
  },
  { title: 'file', value: ({ file }) => file ?? '-' },
];

const PRICE_COLUMNS: readonly TableColumn<ComparedPrice>[] = [
  { title: 'operation', value: ({ operation }) => operation },
  { title: 'priced', value: ({ requests, unquoted }) => number(requests + unquoted.requests), align: 'right' },
  { title: 'quoted', value: ({ requests, quoted }) => (requests === 0 ? '-' : number(quoted)), align: 'right' },
  {
    title: 'charged',
    value: ({ requests, charged, unquoted }) =>
      requests + unquoted.requests === 0 ? '-' : number(charged + unquoted.charged),
    align: 'right',
  },
  { title: 'factor', value: ({ factor }) => (factor === null ? '-' : factor.toFixed(2)), align: 'right' },
  { title: 'to send', value: ({ rest }) => number(rest.requests), align: 'right' },
  { title: 'as quoted', value: ({ rest }) => orDash(rest.quoted), align: 'right' },
  { title: 'expected', value: ({ rest }) => orDash(rest.expected), align: 'right' },
];

/** Explains each outcome in a few words. What can be done about it is in `next-steps.ts`. */
const OUTCOME_WORDS: Readonly<Record<EndWord, string>> = {
  succeeded: 'result stored',
  cached: 'result reused; nothing paid',
  failed: 'no result; see _error_class and _message',
  unknown: 'may have been charged; not sent again',
  unfit: 'paid for and kept; failed a check',
  skipped: 'not sent: over the budget, or --cache only',
  overdue: 'job was still running at the API; can be fetched later, free',
  cancelled: 'not sent, or only in part: the batch ended early',
  'not chosen': 'not sent: left out by --limit or --sample',
};

/**
 * Returns the summary of a run as lines: the outcomes, the cost, where the files are, and the next steps.
 * `isLedgerUnconfirmed`: the ledger may have come with the folder, so no command is advised from it.
 */
export function summaryLines(
  end: Omit<EndOfRun, 'pilot'> & Partial<Pick<EndOfRun, 'pilot'>> & { readonly isLedgerUnconfirmed?: boolean },
): readonly string[] {
  const { batch, counts, money, pilot, isLedgerUnconfirmed = false } = end;
  const line = (count: number, word: string, meaning: string): string =>
    `  ${String(count).padStart(6)}  ${word.padEnd(10)} ${meaning}`;
  const rows = endsOf(counts).map(([word, count]) => line(count, word, OUTCOME_WORDS[word]));
  const open = chosenOf(counts) - endedOf(counts);
  const span = workSpan(batch);
  const took = span === undefined || batch.closedAt === null ? '' : `, ended ${tookWords(span, batch.closedAt)}`;
  const out = shortPath(end.out);
  const steps = batch.state === 'closed' ? nextSteps({ ...end, out }) : [];
  const details = [
    `credits: ${moneyWords(money, batch.settings.budget)}`,
    ...damagedLines(money),
    `results: ${out}/results.csv    media: ${out}/media/`,
    ...(pilot === undefined ? [] : pilotLines(pilot)),
    ...(isLedgerUnconfirmed ? [CONFIRM_FIRST] : steps),
  ];
  return [
    `Batch "${batch.name}": ${chosenInWords(chosenOf(counts), counts.total)}${dialectWords(batch.settings)}${took}`,
    ...rows,
    ...(open > 0 ? [line(open, 'unfinished', 'waiting or in flight')] : []),
    ...details.map((line) => `  ${line}`),
  ];
}
