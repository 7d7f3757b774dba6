import { roundCredits } from '../../contract/price-units.ts';
import { operationOf, stepsIn, type Kind } from '../../contract/row-kinds.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, RowStanding } from '../../ledger/record-types.ts';
import { budgetLeft } from '../../policy/money/budget.ts';
import { PriceTally, type PriceComparison } from '../../policy/money/compare-prices.ts';
import { quoteSteps } from '../../policy/money/pricing.ts';
import { creditsKindOf, creditsOf, type CreditsKind } from '../../results/result-line.ts';
import { namedFiles } from '../rows/find-rows.ts';

/** Rows that are named; the others are in `results.csv`. */
const NAMED = 20;

/** A row that was run to try a batch. */
export interface PilotRow {
  /** Its number in the batch. */
  readonly row: number;
  readonly id: string;
  readonly kind: Kind;
  readonly voice: string | null;
  /** Null if it has not ended. */
  readonly outcome: Outcome | null;
  /** Credits charged for it, as far as known. */
  readonly credits: number;
  /** Where that figure comes from; `reported`: from the API. */
  readonly creditsKind: CreditsKind;
  /** Path of its result below the out folder; null without one. */
  readonly file: string | null;
}

/** What the rows that were run show of a batch whose other rows were left out by `--limit` or `--sample`. */
export interface Pilot {
  /** The first 20 rows that were run, in the order of the manifest. */
  readonly rows: readonly PilotRow[];
  /** Rows that were run. */
  readonly run: number;
  /** Rows that were left out. */
  readonly left: number;
  /** What the rows were charged, against their quotes, and what the others will then cost. */
  readonly prices: PriceComparison;
  /** Credits charged so far. */
  readonly charged: number;
  /** Credits for the whole batch: as quoted at first, and at the measured prices; null if it cannot be known. */
  readonly whole: { readonly quoted: number | null; readonly expected: number | null };
  /** Credits left of its budget; null without one. */
  readonly budgetLeft: number | null;
}

type PricedBatch = BatchRecord;

/** What the API charged for the rows of a batch that were run. `onRow` is called for each of them. */
export async function measurePrices(
  ledger: Ledger,
  batch: PricedBatch,
  onRow: (standing: RowStanding) => void = () => undefined,
): Promise<PriceTally> {
  const tally = new PriceTally();
  for await (const standing of ledger.scanRows(batch.name, { isNotChosen: false })) {
    onRow(standing);
    for (const { step, chargedFrom, charged, quoted, failure } of standing.charges) {
      // A quote measures nothing, and a job that failed may have been charged less.
      if (chargedFrom !== 'api' || charged === null || failure !== null) continue;
      tally.addPaid(operationOf(standing.row.spec, step, batch.settings.tts), quoted, charged);
    }
  }
  return tally;
}

/** The requests that a row will make, and their quotes in credits; null: unknown. */
export function requestsOf(
  { row: { spec } }: RowStanding,
  { tts, prices }: PricedBatch['settings'],
): readonly { readonly operation: ReturnType<typeof operationOf>; readonly quoted: number | null }[] {
  return stepsIn(spec).map((step) => {
    const operation = operationOf(spec, step, tts);
    return { operation, quoted: quoteSteps([step], spec, { tts, prices }) };
  });
}

/** Compares the prices of the rows that were run with their quotes. Undefined: no row was left out, or none was run. */
export async function viewPilot(ledger: Ledger, batch: BatchRecord): Promise<Pilot | undefined> {
  const { total, notChosen } = await ledger.counts(batch.name);
  if (notChosen === 0 || notChosen === total) return undefined;
  const rows: PilotRow[] = [];
  const quotes = { sum: 0, unknown: 0 };
  const addQuote = (of: number | null): void => {
    if (of === null) quotes.unknown++;
    else quotes.sum += of;
  };
  const tally = await measurePrices(ledger, batch, (standing) => {
    addQuote(standing.row.quoted);
    if (rows.length < NAMED) rows.push(pilotRow(standing, batch));
  });
  for await (const standing of ledger.scanRows(batch.name, { isNotChosen: true })) {
    addQuote(standing.row.quoted);
    for (const request of requestsOf(standing, batch.settings)) tally.addOpen(request.operation, request.quoted);
  }
  const prices = tally.compare();
  const money = await ledger.money(batch.name);
  const { expected } = prices.rest;
  return {
    rows,
    run: total - notChosen,
    left: notChosen,
    prices,
    charged: money.charged,
    whole: {
      quoted: quotes.unknown > 0 ? null : roundCredits(quotes.sum),
      expected: expected === null ? null : roundCredits(money.charged + expected),
    },
    budgetLeft: budgetLeft(money, batch.settings.budget),
  };
}

function pilotRow({ row, charges }: RowStanding, batch: BatchRecord): PilotRow {
  return {
    row: row.row,
    id: row.id,
    kind: row.kind,
    voice: row.spec.voice ?? null,
    outcome: row.outcome,
    credits: creditsOf(charges),
    creditsKind: creditsKindOf(charges),
    file: namedFiles(row, batch)[0]?.name ?? null,
  };
}
