import type { BatchSettings } from '../../contract/batch.ts';
import { priceIn, stepsIn, type Step } from '../../contract/row-kinds.ts';
import { countedFor, isChargeKnown, MAX_UNPRICED_OPEN, worstRatio } from '../../policy/money/charge-ratio.ts';
import { roomFor, settledOf, type Committed, type Room } from '../../policy/money/room.ts';
import type { Intent } from '../requests/intent-records.ts';
import { ratiosOf, type OperationRatio, type RatiosOfStep, openRequestsOf } from './charge-ratios.ts';
import { quotesOf, type UnsentPart } from '../parts/part-budgets.ts';
import type { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { Sums } from '../batches/counts.ts';

/*
 * Whether a batch's budget has room for a request. The transaction that records the request's intent checks it, so any
 * number of workers share a budget.
 *
 * The committed credits have three parts: past charges; the possible charges of open requests
 * (`policy/money/charge-ratio.ts`); and what started rows still need (`promised`), which is their later steps and the
 * unsent parts of split rows. So no row is left half paid, as far as charges can be foreseen.
 *
 * An estimated price does not say what the API really charges. So only a few requests of an operation are sent at
 * first, until one has ended and its charge is known.
 */

/** A request to be checked. Amounts are credits. */
export interface BudgetRequest {
  readonly step: Step;
  readonly intent: Intent;
  /** The present sums of the batch. */
  readonly sums: Sums;
  readonly settings: BatchSettings;
  readonly budget: number;
  /** For the first part of a split row: its other unsent parts, which need room as well. */
  readonly parts: readonly UnsentPart[];
}

/** The budget's answer to a request. */
export interface BudgetAnswer {
  /** `charge-unknown`: there is room, but the API's real charge for such a request must become known first. */
  readonly room: Room | 'charge-unknown';
  /** Credits known to be spent for good. */
  readonly settled: number;
  /** Credits counted for the request and its row's remaining needs; null if the price is unknown. */
  readonly counted: number | null;
}

/** Decides whether there is room for a request. */
export async function askBudget(row: RowInTransaction, request: BudgetRequest): Promise<BudgetAnswer> {
  const { step, intent, sums, settings, budget, parts } = request;
  const { tx, line, spec } = row;
  const { all, ofSteps } = await ratiosOf(tx, { batch: line.batch, spec, tts: settings.tts });
  const [own, ...rest] = ofSteps.slice(stepsIn(spec).indexOf(step));
  // The request replaces what its own row has reserved.
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
  const isChargeUnknown = ({ operation, ratios }: RatiosOfStep, of?: number): boolean =>
    priceIn(settings.prices, operation).estimate && !isChargeKnown(ratios, of);
  // With several later steps, each step's share of the quote is unknown.
  const ofRest = rest.length === 1 ? quotedRest : undefined;
  const alike = { operation: own.operation, quoted };
  const waits =
    (isChargeUnknown(own, quoted) && (await openRequestsOf(tx, line.batch, alike)).awaited >= MAX_UNPRICED_OPEN) ||
    (!isBegun && promised > 0 && rest.some((one) => isChargeUnknown(one, ofRest)));
  return { room: waits ? 'charge-unknown' : 'room', ...answer };
}

/** The terms of {@link scale}, in credits. */
interface ScaleTerms {
  /** Counted for the request that is checked. */
  readonly credits: number;
  readonly budget: number;
  /** By how much running jobs were announced as cheaper than quoted. */
  readonly unbilled: number;
  readonly all: readonly OperationRatio[];
}

/**
 * Adds what open requests may cost beyond their quotes, at the worst known ratio of charge to quote. Reads the requests
 * one by one only if that can decide the answer.
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
  const atWorst = (charged + unbilled + unknown + onTheWire + promised) * worst + credits;
  if (!isUnquoted && atWorst <= budget) return committed;
  const open = await openRequestsOf(tx, batch);
  return {
    ...committed,
    beyond: { awaited: open.beyond, lost: open.beyondLost, promised: promised * (worst - 1) },
  };
}

/** The committed credits with open requests at their quotes. */
function unscaled(sums: Sums): Committed {
  return {
    charged: sums.charged,
    unknown: sums.unknown_quoted,
    onTheWire: sums.sending_quoted,
    promised: sums.promised,
    beyond: { awaited: 0, lost: 0, promised: 0 },
  };
}
