import type { BatchRecord, Counts, Money } from '../../ledger/record-types.ts';
import type { Pilot } from '../../batches/subset/pilot.ts';
import type { Leftovers } from '../../batches/look/leftovers.ts';
import { CONFIRM_FIRST } from '../trust/stranger-words.ts';
import { dialectWords } from './dialect-words.ts';
import { damagedLines, moneyWords } from './money.ts';
import { workSpan } from './status.ts';
import { pilotLines } from './pilot-words.ts';
import { nextSteps } from './next-steps.ts';
import { shortPath } from '../../client/look/path-args.ts';
import { endsOf, OUTCOME_WORDS } from './outcome-words.ts';
import { chosenOf, clock, doneOf } from './progress.ts';
import { chosenInWords } from './row-words.ts';

/** What the end of a run is told by. */
interface EndOfRun {
  readonly batch: BatchRecord;
  readonly counts: Counts;
  readonly money: Money;
  /** Absolute. */
  readonly out: string;
  readonly leftovers: Leftovers;
  /** What the rows that were run show of those that were left out; undefined if none were. */
  readonly pilot?: Pilot | undefined;
  /** True if the ledger may have come with the folder, so that no command is advised from it. Default false. */
  readonly isStranger?: boolean;
}

/** The end of a run, in a few lines: what became of the rows, what it cost, where everything is. */
export function summaryLines(end: EndOfRun): readonly string[] {
  const { batch, counts, money, pilot } = end;
  const rows = endsOf(counts).map(
    ([word, count]) => `  ${String(count).padStart(6)}  ${word.padEnd(10)} ${OUTCOME_WORDS[word].meaning}`,
  );
  const open = chosenOf(counts) - doneOf(counts);
  if (open > 0) rows.push(`  ${String(open).padStart(6)}  ${'unfinished'.padEnd(10)} waiting or in flight`);
  const span = workSpan(batch);
  const took =
    span === undefined || batch.closedAt === null
      ? ''
      : `, ended ${clock(batch.closedAt - span.from)} after ${span.isReopened ? 'it was opened again' : 'the first request'}`;
  return [
    `Batch "${batch.name}": ${chosenInWords(chosenOf(counts), counts.total)}${dialectWords(batch.settings)}${took}`,
    ...rows,
    `  credits: ${moneyWords(money, batch.settings.budget)}`,
    ...damagedLines(money).map((line) => `  ${line}`),
    `  results: ${shortPath(end.out)}/results.csv    media: ${shortPath(end.out)}/media/`,
    ...(pilot === undefined ? [] : pilotLines(pilot)).map((line) => `  ${line}`),
    ...stepsAfter(end).map((step) => `  ${step}`),
  ];
}

function stepsAfter(end: EndOfRun): readonly string[] {
  if (end.isStranger === true) return [CONFIRM_FIRST];
  return end.batch.state === 'closed' ? nextSteps({ ...end, out: shortPath(end.out) }) : [];
}
