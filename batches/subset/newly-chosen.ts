import type { By } from '../../contract/actions.ts';
import { roundCredits } from '../../contract/price-units.ts';
import type { Subset } from '../../contract/subset.ts';
import { Bill, type BillSummary } from '../../inputs/money/bill.ts';
import { LedgerMisuse } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, RowStanding } from '../../ledger/record-types.ts';
import { goesOnWith } from '../../policy/voices/awaited-voice.ts';
import type { PriceTally } from '../../policy/money/compare-prices.ts';
import type { IsChosen } from '../../policy/subset/subset.ts';
import { billLines } from '../plan/bill-lines.ts';
import { measurePrices, requestsOf } from './pilot.ts';
import { rowsWithRoom, type SkippedRoom } from '../plan/skipped-rows.ts';
import { inChunks } from '../../results/in-chunks.ts';

/** Rows opened per transaction, because running work waits for it. */
const ROWS_A_TRANSACTION = 500;

/** The cost of rows that earlier runs left out and this one chooses. */
export interface NewlyChosen {
  readonly rows: number;
  /** Further rows, of earlier runs, that go on by themselves with rows of these that make their voices. They are in the bill. */
  readonly dependents: number;
  /** By the prices that the API charged for the rows before, where it did; else by their quotes. */
  readonly bill: BillSummary;
  /** Their quotes, in credits. */
  readonly quoted: number;
  /** Part of the bill is estimated. */
  readonly isEstimate: boolean;
}

/**
 * Prices the rows that `--limit` or `--sample` left out and that are now chosen, and those that the budget left out and
 * now has room for. Changes nothing. `budget`: credits left. `skipped`: default: none.
 */
export async function billNewlyChosen(
  ledger: Ledger,
  batch: BatchRecord,
  isChosen: IsChosen,
  budget: number | null,
  skipped?: SkippedRoom,
): Promise<NewlyChosen> {
  const { name, settings } = batch;
  const measured = await measurePrices(ledger, batch);
  const bill = new Bill(budget);
  let rows = 0;
  let dependents = 0;
  let quotes = 0;
  const makers = new Set<number>();
  const add = (standing: RowStanding, ofLastRow = false, price = standing.row.quoted): void => {
    const { row } = standing;
    quotes += price ?? 0;
    // Without a quote the ledger cannot hold a row to its budget, whatever such rows have cost so far.
    const quoted = price === null ? null : roundCredits(price + surcharge(requestsOf(standing, settings), measured));
    bill.add({ line: row.line, id: row.id, spec: row.spec, quoted, isAssumed: false, ofLastRow });
  };
  for await (const standing of ledger.scanRows(name, { isNotChosen: true })) {
    const { row } = standing;
    if (!isChosen(row)) continue;
    rows++;
    if (row.kind === 'voice') makers.add(row.row);
    add(standing);
  }
  for await (const { standing, quoted } of skipped === undefined ? [] : rowsWithRoom(ledger, batch, skipped)) {
    rows++;
    if (standing.row.kind === 'voice') makers.add(standing.row.row);
    add(standing, false, quoted);
  }
  let whole: number | null = null;
  for await (const standing of makers.size > 0 ? ledger.scanRows(name, { outcome: 'failed', inParts: true }) : []) {
    if (!goesOnWith(standing.row, makers)) continue;
    const { partOf } = standing.row;
    const ofLastRow = partOf !== null && partOf === whole;
    whole = partOf;
    if (!ofLastRow) dependents++;
    add(standing, ofLastRow);
  }
  const summary = bill.summary();
  const isEstimate = billLines(summary, settings).total.isEstimate;
  return { rows, dependents, bill: summary, quoted: roundCredits(quotes), isEstimate };
}

/** What requests cost beyond their quotes at measured prices, in credits; below 0 if they cost less. */
function surcharge(requests: ReturnType<typeof requestsOf>, measured: PriceTally): number {
  const more = requests.map(({ operation, quoted }) => (measured.expect(operation, quoted) ?? 0) - (quoted ?? 0));
  return more.reduce((sum, one) => sum + one, 0);
}

/**
 * Opens the rows of a subset that earlier runs, or the budget, left out, and the batch with them, in portions, so that other work gets
 * its turn. After a kill, another call opens the rest. Returns how many it opened: fewer, or none, if somebody stops
 * the batch.
 */
export async function openNewlyChosen(
  ledger: Ledger,
  batch: BatchRecord,
  subset: Subset | null,
  {
    isChosen,
    skipped,
    by,
  }: { readonly isChosen: IsChosen; readonly skipped: SkippedRoom | undefined; readonly by: By },
): Promise<number> {
  let opened = 0;
  const chosen = async function* (): AsyncGenerator<number> {
    for await (const { row } of ledger.scanRows(batch.name, { isNotChosen: true })) if (isChosen(row)) yield row.row;
    if (skipped === undefined) return;
    for await (const { standing } of rowsWithRoom(ledger, batch, skipped)) yield standing.row.row;
  };
  try {
    for await (const rows of inChunks(chosen(), ROWS_A_TRANSACTION))
      opened += await ledger.openUnsent(batch.name, subset, rows, by);
  } catch (error) {
    if (!(error instanceof LedgerMisuse)) throw error;
  }
  return opened;
}
