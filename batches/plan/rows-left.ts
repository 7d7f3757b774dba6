import { CAST_COLUMN } from '../../contract/cast.ts';
import { defined } from '../../contract/defined.ts';
import { sumOfPrices } from '../../contract/price-units.ts';
import { stepsIn, type Step } from '../../contract/row-kinds.ts';
import { CastVoices } from '../../inputs/cast/cast-voices.ts';
import { headerFor } from '../../inputs/header-names.ts';
import type { BillSummary } from '../../inputs/money/bill.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, RowStanding } from '../../ledger/record-types.ts';
import { nextMove, rowView, stepsFrom } from '../../policy/rows/row-machine.ts';
import type { RowReasons } from '../../policy/plan/reason-groups.ts';
import { Reasoner, type ReasonRequest } from './reasoner.ts';
import { addPrice, countedAs, quoteOf, skippedRows, type SkippedRoom } from './skipped-rows.ts';

/** The rows that an existing batch still has to pay for. */
export interface RowsLeft {
  /** Rows that need at least one more result. */
  readonly rows: number;
  /** Of these, rows that earlier runs left out (`--limit`, `--sample`, `--budget`) and this one sends. */
  readonly newlyChosen: number;
  /** Open rows that only need an answer or a download. */
  readonly underWay: number;
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

/**
 * Bills what a batch still has to pay for: unsent steps of open rows, newly chosen rows, and rows that the budget now
 * has room for. Changes nothing and spends nothing.
 */
export async function billRowsLeft(
  ledger: Ledger,
  batch: BatchRecord,
  room: SkippedRoom,
  request: ReasonRequest,
): Promise<RowsLeft> {
  const reasoner = new Reasoner(request);
  const { settings } = batch;
  const { isChosen, outlook } = room;
  let [rows, newlyChosen, underWay] = [0, 0, 0];
  let overBudget: RowsLeft['overBudget'] = { rows: 0, quoted: 0 };
  // Beyond the bill.
  let more: number | null = outlook.beyondLost;
  const speakerOf = speakersIn(batch);
  const add = async (standing: RowStanding, steps: readonly Step[]): Promise<void> => {
    const row = { ...withoutParts(standing), ...speakerOf(standing.row) };
    const quoted = quoteOf(row, steps, settings);
    rows++;
    more = addPrice(more, surplusOf(standing, [quoted]));
    await reasoner.add({ ...row, quoted, isAssumed: false, steps });
  };
  const addParts = async (standing: RowStanding, isLeft: (part: RowStanding) => boolean): Promise<boolean> => {
    const row = { ...withoutParts(standing), ...speakerOf(standing.row) };
    const left = (await ledger.partsOf(batch.name, row.row)).filter(isLeft).map((part) => part.row);
    if (left.length === 0) return false;
    rows++;
    const quotes = left.map((part) => part.quoted);
    more = addPrice(more, surplusOf(standing, quotes));
    await reasoner.add({ ...row, isAssumed: false, steps: stepsIn(row.spec), parts: left });
    return true;
  };
  const surplusOf = (standing: RowStanding, quotes: readonly (number | null)[]): number | null => {
    const [quoted, counted] = [sumOfPrices(quotes), countedAs(standing, quotes, settings, outlook)];
    return counted === null || quoted === null ? null : counted - quoted;
  };
  const isOpen = (part: RowStanding): boolean => part.row.outcome === null && stepsLeft(part).length > 0;
  for await (const standing of ledger.scanRows(batch.name, { isOpen: true })) {
    const steps = stepsLeft(standing);
    const isInParts = standing.row.parts !== null;
    if (isInParts ? !(await addParts(standing, isOpen)) : steps.length === 0) underWay++;
    else if (!isInParts) await add(standing, steps);
  }
  for await (const standing of ledger.scanRows(batch.name, { isNotChosen: true })) {
    if (!isChosen(standing.row)) continue;
    newlyChosen++;
    if (standing.row.parts === null) await add(standing, stepsIn(standing.row.spec));
    else await addParts(standing, () => true);
  }
  for await (const { standing, quoted, counted, hasRoom } of skippedRows(ledger, batch, room)) {
    if (hasRoom) {
      newlyChosen++;
      if (standing.row.parts === null) await add(standing, stepsLeft(standing));
      else await addParts(standing, (part) => part.row.outcome === 'skipped');
    } else {
      overBudget = { rows: overBudget.rows + 1, quoted: sumOfPrices([overBudget.quoted, quoted]) };
      more = addPrice(more, counted);
    }
  }
  await reasoner.finish();
  const bill = reasoner.bill.summary();
  const needed = sumOfPrices([more, bill.quoted]);
  return { rows, newlyChosen, underWay, bill, reasons: reasoner.groups.result(), overBudget, needed };
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
