import { CAST_COLUMN } from '../../contract/cast.ts';
import { defined } from '../../contract/defined.ts';
import { roundCredits, sumOfPrices } from '../../contract/price-units.ts';
import { stepsIn, type Step } from '../../contract/row-kinds.ts';
import { CastVoices } from '../../inputs/cast/cast-voices.ts';
import { headerFor } from '../../inputs/header-names.ts';
import type { BillSummary } from '../../inputs/money/bill.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowStanding } from '../../ledger/rows/row-records.ts';
import { nextMove, rowView, stepsFrom } from '../../policy/rows/row-machine.ts';
import type { RowReasons } from '../../policy/plan/reason-groups.ts';
import { goesOnWith } from '../../policy/voices/awaited-voice.ts';
import { billLines } from './bill-lines.ts';
import type { LeftChoice } from './choose-left.ts';
import { measurePrices } from './measure-prices.ts';
import { Reasoner, type ReasonRequest, type RowToSend } from './reasoner.ts';
import { addPrice, countedAs, quoteOf, skippedRows } from './skipped-rows.ts';

/** The rows that an existing batch still has to pay for. */
export interface RowsLeft {
  /** Rows that need at least one more result. */
  readonly rows: number;
  /**
   * Of these, rows that earlier runs left out (`--limit`, `--sample`, `--budget`) and this one sends, and their price.
   */
  readonly more: NewlyChosen;
  /** Open rows that only need an answer or a download. */
  readonly underWay: number;
  /**
   * By the quotes, less what earlier results save. If rows were left out: by the prices that the API charged for the
   * rows before, where it did.
   */
  readonly bill: BillSummary;
  /** Why they are paid for. */
  readonly reasons: RowReasons;
  /** Further chosen rows that stay left out, because the budget is too small for any of them. */
  readonly overBudget: {
    readonly rows: number;
    /** In credits; null: nobody knows the price of one. */
    readonly quoted: number | null;
  };
  /**
   * Credits the budget must have left to cover all of these, including those over the budget, based on charges so far;
   * null if a price is unknown.
   */
  readonly needed: number | null;
}

/** The cost of rows that earlier runs left out and this one chooses. */
export interface NewlyChosen {
  readonly rows: number;
  /**
   * Further rows, of earlier runs, that go on by themselves with rows of these that make their voices. They are in the
   * bill.
   */
  readonly dependents: number;
  /** As that of all rows left. */
  readonly bill: BillSummary;
  /** By the quotes, in credits. */
  readonly quoted: number;
  /** Part of the bill is estimated. */
  readonly isEstimate: boolean;
}

/**
 * Bills what a batch still has to pay for: unsent steps of open rows, newly chosen rows with those that wait for their
 * voices, and rows that the budget now has room for. Changes nothing and spends nothing.
 */
export async function billRowsLeft(
  ledger: Ledger,
  batch: BatchRecord,
  { isChosen, room, isAny }: LeftChoice,
  request: ReasonRequest,
): Promise<RowsLeft> {
  // That reads the rows that were run; those that are open only were billed when they were chosen.
  const reasoner = new Reasoner({ ...request, ...(isAny && { measured: await measurePrices(ledger, batch) }) });
  const { settings } = batch;
  const { outlook } = room;
  let [rows, newlyChosen, dependents, underWay] = [0, 0, 0, 0];
  const makers = new Set<number>();
  let overBudget: RowsLeft['overBudget'] = { rows: 0, quoted: 0 };
  // Beyond the bill.
  let more: number | null = outlook.beyondLost;
  const speakerOf = speakersIn(batch);
  const add = async (standing: RowStanding, steps: readonly Step[], marks: Marks = {}): Promise<void> => {
    const row = { ...withoutParts(standing), ...speakerOf(standing.row) };
    const quoted = quoteOf(row, steps, settings);
    if (marks.ofLastRow !== true) rows++;
    more = addPrice(more, surplusOf(standing, [quoted]));
    await reasoner.add({ ...row, quoted, isAssumed: false, steps, ...marks });
  };
  const addParts = async (
    standing: RowStanding,
    isLeft: (part: RowStanding) => boolean,
    marks: Marks = {},
  ): Promise<boolean> => {
    const row = { ...withoutParts(standing), ...speakerOf(standing.row) };
    const left = (await ledger.partsOf(batch.name, row.row)).filter(isLeft).map((part) => part.row);
    if (left.length === 0) return false;
    rows++;
    const quotes = left.map((part) => part.quoted);
    more = addPrice(more, surplusOf(standing, quotes));
    await reasoner.add({ ...row, isAssumed: false, steps: stepsIn(row.spec), parts: left, ...marks });
    return true;
  };
  const surplusOf = (standing: RowStanding, quotes: readonly (number | null)[]): number | null => {
    const [quoted, counted] = [sumOfPrices(quotes), countedAs(standing, quotes, settings, outlook)];
    return counted === null || quoted === null ? null : counted - quoted;
  };
  const isSkipped = ({ row }: RowStanding): boolean => row.outcome === 'skipped';
  const isOpen = (part: RowStanding): boolean => part.row.outcome === null && stepsLeft(part).length > 0;
  const addChosen = async (standing: RowStanding, steps: readonly Step[]): Promise<void> => {
    newlyChosen++;
    if (standing.row.kind === 'voice') makers.add(standing.row.row);
    if (standing.row.parts === null) await add(standing, steps, MORE);
    // A person may have given a part its job.
    else await addParts(standing, isSkipped, MORE);
  };
  for await (const standing of ledger.scanRows(batch.name, { isOpen: true })) {
    const steps = stepsLeft(standing);
    const isInParts = standing.row.parts !== null;
    if (isInParts ? !(await addParts(standing, isOpen)) : steps.length === 0) underWay++;
    else if (!isInParts) await add(standing, steps);
  }
  for await (const standing of ledger.scanRows(batch.name, { isNotChosen: true })) {
    if (isChosen(standing.row)) await addChosen(standing, stepsIn(standing.row.spec));
  }
  for await (const { standing, quoted, counted, hasRoom } of skippedRows(ledger, batch, room)) {
    if (hasRoom) await addChosen(standing, stepsLeft(standing));
    else {
      overBudget = { rows: overBudget.rows + 1, quoted: sumOfPrices([overBudget.quoted, quoted]) };
      more = addPrice(more, counted);
    }
  }
  let whole: number | null = null;
  const failed = { outcome: 'failed', inParts: true } as const;
  for await (const standing of makers.size > 0 ? ledger.scanRows(batch.name, failed) : []) {
    if (!goesOnWith(standing.row, makers)) continue;
    const { partOf, spec } = standing.row;
    const ofLastRow = partOf !== null && partOf === whole;
    whole = partOf;
    if (!ofLastRow) dependents++;
    await add(standing, stepsIn(spec), { ...MORE, ofLastRow });
  }
  await reasoner.finish();
  const ofMore = reasoner.more.summary();
  return {
    rows,
    more: {
      rows: newlyChosen,
      dependents,
      bill: ofMore,
      quoted: roundCredits(reasoner.quotes.more),
      isEstimate: billLines(ofMore, settings).total.isEstimate,
    },
    underWay,
    bill: reasoner.bill.summary(),
    reasons: reasoner.groups.result(),
    overBudget,
    needed: sumOfPrices([more, reasoner.quotes.all]),
  };
}

type Marks = Pick<RowToSend, 'isMore' | 'ofLastRow'>;
const MORE: Marks = { isMore: true };

/** A row that was left out whole, to be sent with all its parts. */
export async function wholeToSend(
  ledger: Pick<Ledger, 'partsOf'>,
  batch: string,
  standing: RowStanding,
): Promise<RowToSend> {
  const { row } = standing;
  const steps = stepsIn(row.spec);
  const parts = row.parts === null ? {} : { parts: (await ledger.partsOf(batch, row.row)).map((part) => part.row) };
  return { ...withoutParts(standing), isAssumed: false, steps, ...parts };
}

/** Finds the name of the cast that gave a row of this batch its voice. */
function speakersIn({
  columns,
  settings: { reading },
}: BatchRecord): (row: RowStanding['row']) => { speaker?: string } {
  if (reading.cast === undefined) return () => ({});
  const cast = new CastVoices(reading.cast);
  const [speakerAt, voiceAt] = [CAST_COLUMN, 'voice'].map((ours) => columns.indexOf(headerFor(ours, columns, reading)));
  const cellOf = (input: readonly string[], at = -1): string => input[at]?.trim() ?? '';
  return ({ input, spec }) => {
    const name = cellOf(input, voiceAt) === '' && spec.voice !== undefined ? cellOf(input, speakerAt) : '';
    return defined({ speaker: name === '' ? undefined : cast.valuesOf(name)?.name });
  };
}

function withoutParts({ row: { parts: _, ...row } }: RowStanding): Omit<RowStanding['row'], 'parts'> {
  return row;
}

/** The steps of an open row that were not sent yet. */
function stepsLeft({ row, charges }: RowStanding): readonly Step[] {
  const move = nextMove({ ...rowView(row), ended: false }, charges);
  if (move.type === 'ended') return [];
  const steps = stepsFrom(row.spec, move.at.step);
  return move.type === 'submit' ? steps : steps.slice(1);
}
