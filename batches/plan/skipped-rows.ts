import { roundCredits, sumOfPrices } from '../../contract/price-units.ts';
import { operationOf, stepsIn, type Step } from '../../contract/row-kinds.ts';
import type { ChargeOutlook } from '../../ledger/money/charge-ratios.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { countedFor, worstRatio } from '../../policy/money/charge-ratio.ts';
import { quoteFrom, quoteSteps } from '../../policy/money/pricing.ts';
import { DUST } from '../../policy/money/room.ts';
import { isUnresolved } from '../../policy/reconcile/in-doubt.ts';
import { nextMove, rowView, stepsFrom } from '../../policy/rows/row-machine.ts';
import type { IsChosen } from '../../policy/subset/subset.ts';

/* Rows that the budget left out: which of them fit now, and what the budget must have left for them. */

/** Which rows left out by the budget to consider, and the credits left to pay for them. */
export interface SkippedRoom {
  /** Returns whether to consider a row. */
  readonly isChosen: IsChosen;
  /** Credits left of the budget; null if the batch has none. */
  readonly left: number | null;
  /** What requests may cost, based on charges so far. */
  readonly outlook: ChargeOutlook;
}

/** A row left out by the budget. Prices cover its unsent steps, in credits; null if unknown. */
export interface SkippedRow {
  readonly snapshot: RowSnapshot;
  /** At quoted prices. */
  readonly quoted: number | null;
  /** What the ledger will reserve for it, based on charges so far; see {@link countedAs}. */
  readonly counted: number | null;
  /** Whether it fits into the rest of the budget by itself. */
  readonly hasRoom: boolean;
}

/** Yields rows left out by the budget that would each fit now, if sent alone. */
export async function* rowsWithRoom(
  ledger: Pick<Ledger, 'scanRows' | 'partsOf'>,
  batch: Pick<BatchRecord, 'name' | 'settings'>,
  room: SkippedRoom,
): AsyncGenerator<SkippedRow, undefined> {
  for await (const row of skippedRows(ledger, batch, room)) if (row.hasRoom) yield row;
}

/**
 * Yields rows left out by the budget, except those with a request of unknown outcome, which need a person's decision.
 */
export async function* skippedRows(
  ledger: Pick<Ledger, 'scanRows' | 'partsOf'>,
  { name, settings }: Pick<BatchRecord, 'name' | 'settings'>,
  { isChosen, left, outlook }: SkippedRoom,
): AsyncGenerator<SkippedRow, undefined> {
  for await (const snapshot of ledger.scanRows(name, { outcome: 'skipped', isNotChosen: false })) {
    const { row, charges } = snapshot;
    if (row.failure?.class !== 'OverBudget' || !isChosen(row)) continue;
    if (charges.some(isUnresolved)) continue;
    const quotes = row.parts === null ? [quoteLeft(snapshot, settings)] : quotesOf(await ledger.partsOf(name, row.row));
    const counted = countedAs(snapshot, quotes, settings, outlook);
    // `beyondLost`: what requests in doubt may have cost beyond their quotes.
    const hasRoom = left === null || (counted !== null && counted <= left - outlook.beyondLost + DUST);
    yield { snapshot, quoted: sumOfPrices(quotes), counted, hasRoom };
  }
}

/**
 * Adds a price to a running sum; null, if one is unknown. Does not round, because rounding would lose up to half a
 * millionth of a credit per row: the caller rounds the total.
 */
export function addPrice(sum: number | null, price: number | null): number | null {
  return sum === null || price === null ? null : sum + price;
}

/**
 * Returns the credits that the budget must have left for all rows it left out, based on charges so far; null if a price
 * is unknown. `quoted`: the sum of their quotes, which suffices if nothing was charged beyond its quote.
 */
export async function neededForSkipped(
  ledger: Pick<Ledger, 'scanRows' | 'partsOf' | 'chargeOutlook'>,
  batch: Pick<BatchRecord, 'name' | 'settings'>,
  quoted: number | null,
): Promise<number | null> {
  const outlook = await ledger.chargeOutlook(batch.name);
  const isDearer = worstRatio(outlook.ratios) > 1 || outlook.ratios.some(({ unquoted }) => unquoted > 0);
  if (quoted === null || (!isDearer && outlook.beyondLost === 0)) return quoted;
  let sum: number | null = outlook.beyondLost;
  for await (const row of skippedRows(ledger, batch, { isChosen: () => true, left: null, outlook }))
    sum = addPrice(sum, row.counted);
  return sum === null ? null : roundCredits(sum);
}

/**
 * Returns the credits that the budget must have left for one row it left out: what the ledger will reserve for it, and
 * what requests in doubt may have cost beyond their quotes. Null if unknown. `parts`: that row's parts.
 */
export async function neededForRow(
  ledger: Pick<Ledger, 'chargeOutlook'>,
  { name, settings }: Pick<BatchRecord, 'name' | 'settings'>,
  snapshot: RowSnapshot,
  parts: readonly RowSnapshot[],
): Promise<number | null> {
  const outlook = await ledger.chargeOutlook(name);
  const quotes = snapshot.row.parts === null ? [quoteLeft(snapshot, settings)] : quotesOf(parts);
  const counted = countedAs(snapshot, quotes, settings, outlook);
  return counted === null ? null : roundCredits(counted + outlook.beyondLost);
}

/**
 * Returns the credits that the ledger will reserve for a row when it is sent; null if unknown. It must be the ledger's
 * very figure: with a lower one, each run would reopen a row that the budget then leaves out again. `quotes`: the
 * row's, or its parts'.
 */
export function countedAs(
  snapshot: RowSnapshot,
  quotes: readonly (number | null)[],
  settings: BatchRecord['settings'],
  { ratios }: Pick<ChargeOutlook, 'ratios'>,
): number | null {
  const { spec, parts } = snapshot.row;
  const steps = stepsLeft(snapshot);
  const [next, ...later] = steps;
  const ratiosOf = (step: Step): ChargeOutlook['ratios'] =>
    ratios.filter(({ operation }) => operation === operationOf(spec, step, settings.tts));
  const counted = (quoted: number, of: readonly Step[]): number => countedFor(quoted, of.map(ratiosOf));
  // As the ledger reserves them: the next step and the later ones each at their own ratios, a part's steps together.
  const countedOf = (quoted: number): number => {
    if (parts !== null || next === undefined) return counted(quoted, steps);
    const quotedRest = quoteFrom(spec.kind, next, spec, settings).quotedRest ?? 0;
    return counted(quoted - quotedRest, [next]) + counted(quotedRest, later);
  };
  return quotes.reduce<number | null>((sum, quoted) => addPrice(sum, quoted === null ? null : countedOf(quoted)), 0);
}

/** Returns the quote of the steps that a row has not sent. */
function quoteLeft(snapshot: RowSnapshot, settings: BatchRecord['settings']): number | null {
  return quoteOf(snapshot.row, stepsLeft(snapshot), settings);
}

/** Returns the quote of some steps of a row: all of them, or the last ones. */
export function quoteOf(
  row: Pick<RowSnapshot['row'], 'spec' | 'quoted'>,
  steps: readonly Step[],
  settings: BatchRecord['settings'],
): number | null {
  return steps.length === stepsIn(row.spec).length ? row.quoted : quoteSteps(steps, row.spec, settings);
}

/**
 * Returns the steps that a row left out by the budget has not sent; all of them for a split row, which has no move of
 * its own.
 */
function stepsLeft({ row, charges }: RowSnapshot): readonly Step[] {
  // The row ended when it was left out. As an open row, it shows where it goes on.
  const move = nextMove({ ...rowView(row), ended: false }, charges);
  return move.type === 'submit' ? stepsFrom(row.spec, move.at.step) : stepsIn(row.spec);
}

/** Returns the quotes of the parts that were not sent. */
function quotesOf(parts: readonly RowSnapshot[]): readonly (number | null)[] {
  return parts.filter(({ row }) => row.outcome === 'skipped').map(({ row }) => row.quoted);
}
