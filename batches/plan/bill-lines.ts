import { legacyShareOf, type BatchSettings } from '../../contract/batch.ts';
import type { Price } from '../../contract/price-units.ts';
import {
  dialectsOf,
  KINDS,
  operationOf,
  priceIn,
  stepsIn,
  type Kind,
  type Operation,
} from '../../contract/row-kinds.ts';
import type { BillSummary, KindSummary } from '../../inputs/money/bill.ts';
import type { ManifestSummary } from '../../inputs/read-manifest.ts';
import type { SpendFacts } from '../../contract/spend.ts';

/** The settings that decide prices. */
type PriceSettings = Pick<BatchSettings, 'prices' | 'reading' | 'tts'>;

/** What the rows of a kind, or all rows, would send and cost. */
export interface BillLine extends KindSummary {
  readonly kind: Kind | 'total';
  /** True if the sum includes a built-in price or an assumed length. */
  readonly isEstimate: boolean;
}

/** A bill by kinds that have rows, and its total. */
export interface BillLines {
  readonly kinds: readonly BillLine[];
  readonly total: BillLine;
}

/** Splits a bill into what each kind of rows would send and cost. */
export function billLines(
  bill: Pick<BillSummary, 'kinds' | 'quoted' | 'unpriced'>,
  settings: PriceSettings,
): BillLines {
  const kinds = kindsIn(bill).map(([kind, sum]): BillLine => {
    const isGuess = operationsOf(kind, settings).some((operation) => priceIn(settings.prices, operation).estimate);
    return { kind, ...sum, isEstimate: (isGuess && sum.requests > 0) || sum.assumed > 0 };
  });
  const add = (value: (line: BillLine) => number): number => kinds.reduce((all, line) => all + value(line), 0);
  const total: BillLine = {
    kind: 'total',
    rows: add((line) => line.rows),
    requests: add((line) => line.requests),
    free: add((line) => line.free),
    quoted: bill.quoted,
    unpriced: bill.unpriced,
    assumed: add((line) => line.assumed),
    legacy: add((line) => line.legacy),
    isEstimate: kinds.some((line) => line.isEstimate),
  };
  return { kinds, total };
}

/** Returns the prices used in a bill, by operation. */
export function pricesOf(bill: Pick<BillSummary, 'kinds'>, settings: PriceSettings): ReadonlyMap<Operation, Price> {
  const operations = kindsIn(bill).flatMap(([kind]) => operationsOf(kind, settings));
  return new Map(operations.map((operation) => [operation, priceIn(settings.prices, operation)]));
}

/** Gathers the facts that decide whether a priced manifest may be paid for; see `policy/money/spend.ts`. */
export function spendFacts<Bill extends ManifestSummary>(
  summary: Bill,
  settings: BatchSettings,
  { yes, canAsk, balance, confirmAbove }: Pick<SpendFacts, 'balance' | 'yes' | 'canAsk' | 'confirmAbove'>,
): SpendFacts & { readonly bill: Bill } {
  const isEstimate = billLines(summary, settings).total.isEstimate;
  return {
    rows: summary.chosen - summary.free,
    bill: summary,
    isEstimate,
    budget: settings.budget,
    balance,
    confirmAbove,
    yes,
    canAsk,
  };
}

/** Returns the kinds that have rows, with their sums. */
function kindsIn({ kinds }: Pick<BillSummary, 'kinds'>): readonly (readonly [Kind, KindSummary])[] {
  return KINDS.flatMap((kind) => {
    const sum = kinds[kind];
    return sum === undefined || sum.rows === 0 ? [] : [[kind, sum] as const];
  });
}

/** Returns the operations of a kind, in each API dialect that the batch uses. */
function operationsOf(kind: Kind, settings: PriceSettings): readonly Operation[] {
  const legacyShare = legacyShareOf(settings);
  const spoken = dialectsOf({ kind }).filter((dialect) => (dialect === 'v1' ? legacyShare < 1 : legacyShare > 0));
  const operations = spoken.flatMap((dialect) =>
    stepsIn({ kind }).map((step) => operationOf({ kind, dialect }, step, settings.tts)),
  );
  return [...new Set(operations)];
}
