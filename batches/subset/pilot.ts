import { roundCredits } from '../../contract/price-units.ts';
import type { Kind } from '../../contract/row-kinds.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { budgetLeft } from '../../policy/money/budget.ts';
import type { PriceComparison } from '../../policy/money/compare-prices.ts';
import { creditsKindOf, creditsOf, type CreditsKind } from '../../results/result-line.ts';
import type { IdentifyMedia } from '../cache/media-identities.ts';
import { measurePrices } from '../plan/measure-prices.ts';
import { RowBiller } from '../plan/row-biller.ts';
import { wholeToSend } from '../plan/bill-remaining.ts';
import { namedFiles } from '../rows/find-rows.ts';

/** Max rows listed; the others are in `results.csv`. */
const MAX_LISTED = 20;

/** A row that was run to try out a batch. */
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
  /** Where `credits` comes from; `reported`: from the API. */
  readonly creditsKind: CreditsKind;
  /** Path of its result below the out folder; null without one. */
  readonly file: string | null;
}

/** The results of the first rows of a batch whose other rows were left out by `--limit` or `--sample`. */
export interface Pilot {
  /** The first 20 rows that were run, in the order of the manifest. */
  readonly rows: readonly PilotRow[];
  /** Rows that were run. */
  readonly run: number;
  /** Rows that were left out. */
  readonly left: number;
  /** Charges of the rows that were run, compared with their quotes, and the expected cost of the others. */
  readonly prices: PriceComparison;
  /** Credits charged so far. */
  readonly charged: number;
  /** Credits for the whole batch, at quoted and at measured prices; null if unknown. */
  readonly whole: { readonly quoted: number | null; readonly expected: number | null };
  /** Credits left of its budget; null without one. */
  readonly budgetLeft: number | null;
}

/**
 * Compares the charges of the rows that were run with their quotes. Undefined if no row was left out, or none was run.
 * Does not identify the media behind links, so it finds no earlier results for such rows and may expect too high a
 * cost.
 */
export async function viewPilot(ledger: Ledger, batch: BatchRecord): Promise<Pilot | undefined> {
  const { total, notChosen } = await ledger.counts(batch.name);
  if (notChosen === 0 || notChosen === total) return undefined;
  const rows: PilotRow[] = [];
  const quotes = { sum: 0, unknown: 0 };
  const addQuote = (quoted: number | null): void => {
    if (quoted === null) quotes.unknown++;
    else quotes.sum += quoted;
  };
  const tally = await measurePrices(ledger, batch, (snapshot) => {
    addQuote(snapshot.row.quoted);
    if (rows.length < MAX_LISTED) rows.push(pilotRow(snapshot, batch));
  });
  const { settings } = batch;
  const identify: IdentifyMedia = () => Promise.resolve(new Map());
  const biller = new RowBiller({ ledger, account: batch, settings, identify, budget: null, measured: tally });
  for await (const snapshot of ledger.scanRows(batch.name, { isNotChosen: true })) {
    addQuote(snapshot.row.quoted);
    await biller.add(await wholeToSend(ledger, batch.name, snapshot));
  }
  await biller.finish();
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

function pilotRow({ row, charges }: RowSnapshot, batch: BatchRecord): PilotRow {
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
