import type { BatchSettings } from '../../contract/batch.ts';
import { priceIn, stepsIn, type Step } from '../../contract/row-kinds.ts';
import { countedFor, isChargeKnown, MAX_UNPRICED_OPEN, worstRatio } from '../../policy/money/charge-ratio.ts';
import { roomFor, settledOf, type Committed, type Room } from '../../policy/money/room.ts';
import type { Intent } from '../requests/intent-records.ts';
import { ratiosOf, type OperationRatio, type RatiosOfStep, openRequestsOf } from './charge-ratios.ts';
import { quotesOf, type UnsentPart } from '../parts/part-budgets.ts';
import type { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { Sums } from '../batches/counts.ts';

/**
 * The budget of a batch. The transaction that records an intent checks it, so any number of workers share it.
 *
 * The committed credits have three parts: past charges, the possible charges of open requests
 * (`policy/money/charge-ratio.ts`), and the later steps of started rows, including the unsent parts of rows spoken in
 * parts. So no row is left half paid, as far as charges can be foreseen.
 *
 * An estimate does not say what the API really charges. So only a few requests of an operation are sent at first, until
 * one has ended.
 */

/** A request to be made. */
export interface BudgetRequest {
  readonly step: Step;
  readonly intent: Intent;
  readonly sums: Sums;
  readonly settings: BatchSettings;
  readonly budget: number;
  /** Sibling parts that need room as well. */
  readonly parts: readonly UnsentPart[];
}

/** The budget's answer to a request. */
export interface BudgetAnswer {
  /** `untold`: there is room, but the API's real charge must become known first. */
  readonly room: Room | 'untold';
  /** Credits known to be spent for good. */
  readonly settled: number;
  /** Credits counted for the request and its row's remaining needs; null if the price is unknown. */
  readonly counted: number | null;
}

/** Asks whether there is room for a request. */
export async function askBudget(row: RowInTransaction, request: BudgetRequest): Promise<BudgetAnswer> {
  const { step, intent, sums, settings, budget, parts } = request;
  const { tx, line, spec } = row;
  const { all, ofSteps } = await ratiosOf(tx, { batch: line.batch, spec, tts: settings.tts });
  const [own, ...rest] = ofSteps.slice(stepsIn(spec).indexOf(step));
  const promised = sums.promised - (line.outcome === null ? line.promised : 0);
  const committed = { ...unscaled(sums), promised };
  const quotedParts = quotesOf(parts);
  if (intent.quoted === null || intent.quotedRest === null || quotedParts === null || own === undefined) {
    return { room: 'none', settled: settledOf(committed), counted: null };
  }
  const { quoted, quotedRest } = intent;
  const counted = (one: number, steps: readonly RatiosOfStep[]): number =>
    countedFor(
      one,
      steps.map(({ ratios }) => ratios),
    );
  const ofParts = quotedParts.reduce((sum, one) => sum + counted(one, ofSteps), 0);
  const credits = counted(quoted, [own]) + counted(quotedRest, rest) + ofParts;
  const isBegun = line.promised > 0 || row.hasPaid;
  const scaled = await scale(row, committed, { credits, budget, unbilled: sums.unbilled, all });
  const room = roomFor(scaled, { credits, isBegun }, budget);
  const answer = { settled: settledOf(scaled), counted: credits };
  if (room !== 'room') return { room, ...answer };
  const isUntold = ({ operation, ratios }: RatiosOfStep, of?: number): boolean =>
    priceIn(settings.prices, operation).estimate && !isChargeKnown(ratios, of);
  // With several later steps, each step's share of the quote is unknown.
  const ofRest = rest.length === 1 ? quotedRest : undefined;
  const alike = { operation: own.operation, quoted };
  const waits =
    (isUntold(own, quoted) && (await openRequestsOf(tx, line.batch, alike)).awaited >= MAX_UNPRICED_OPEN) ||
    (!isBegun && promised > 0 && rest.some((one) => isUntold(one, ofRest)));
  return { room: waits ? 'untold' : 'room', ...answer };
}

/** Decides whether the open requests must be examined one by one. */
interface ScaleTerms {
  readonly credits: number;
  readonly budget: number;
  /** By how much running jobs were announced as cheaper than quoted. */
  readonly unbilled: number;
  readonly all: readonly OperationRatio[];
}

/**
 * The sums, with everything open counted at the worst known ratio. Examines individual requests only where that can
 * matter.
 */
async function scale(
  { tx, line: { batch } }: RowInTransaction,
  committed: Committed,
  { credits, budget, unbilled, all }: ScaleTerms,
): Promise<Committed> {
  const worst = worstRatio(all);
  const isUnquoted = all.some(({ unquoted }) => unquoted > 0);
  if (worst === 1 && !isUnquoted && unbilled === 0) return committed;
  const { charged, unknown, onTheWire, promised } = committed;
  const most = (charged + unbilled + unknown + onTheWire + promised) * worst + credits;
  if (!isUnquoted && most <= budget) return committed;
  const open = await openRequestsOf(tx, batch);
  return {
    ...committed,
    beyond: { awaited: open.beyond, lost: open.beyondLost, promised: promised * (worst - 1) },
  };
}

function unscaled(sums: Sums): Committed {
  return {
    charged: sums.charged,
    unknown: sums.unknown_quoted,
    onTheWire: sums.sending_quoted,
    promised: sums.promised,
    beyond: { awaited: 0, lost: 0, promised: 0 },
  };
}
