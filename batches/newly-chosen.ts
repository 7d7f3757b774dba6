import type { Subset } from '../contract/subset.ts';
import { Bill, type BillSummary } from '../inputs/bill.ts';
import { LedgerMisuse } from '../ledger/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import type { IsChosen } from '../policy/subset.ts';
import { billLines } from './bill-lines.ts';

/** Rows opened per transaction, because running work waits for it. */
const ROWS_A_TRANSACTION = 500;

/** The cost of rows that earlier runs left out and this one chooses. */
export interface NewlyChosen {
  readonly rows: number;
  readonly bill: BillSummary;
  /** Part of the bill is estimated. */
  readonly isEstimate: boolean;
}

/**
 * Prices the rows that `--limit` or `--sample` left out and that are now chosen. Changes nothing. `budget`: credits
 * left.
 */
export async function billNewlyChosen(
  ledger: Pick<Ledger, 'scanRows'>,
  { name, settings }: Pick<BatchRecord, 'name' | 'settings'>,
  isChosen: IsChosen,
  budget: number | null,
): Promise<NewlyChosen> {
  const bill = new Bill(budget);
  let rows = 0;
  for await (const { row } of ledger.scanRows(name, { isNotChosen: true })) {
    if (!isChosen(row)) continue;
    rows++;
    bill.add({ line: row.line, id: row.id, spec: row.spec, quoted: row.quoted, isAssumed: false });
  }
  const summary = bill.summary();
  return { rows, bill: summary, isEstimate: billLines(summary, settings).total.isEstimate };
}

/**
 * Opens the rows of a subset that earlier runs left out, and the batch with them, in portions, so that other work gets
 * its turn. After a kill, another call opens the rest. Returns how many it opened: fewer, or none, if somebody stops
 * the batch.
 */
export async function openNewlyChosen(
  ledger: Pick<Ledger, 'scanRows' | 'openNotChosen'>,
  batch: string,
  subset: Subset | null,
  isChosen: IsChosen,
): Promise<number> {
  let opened = 0;
  let some: number[] = [];
  const open = async (): Promise<void> => {
    if (some.length > 0) opened += await ledger.openNotChosen(batch, subset, some);
    some = [];
  };
  try {
    for await (const { row } of ledger.scanRows(batch, { isNotChosen: true })) {
      if (isChosen(row)) some.push(row.row);
      if (some.length === ROWS_A_TRANSACTION) await open();
    }
    await open();
  } catch (error) {
    if (!(error instanceof LedgerMisuse)) throw error;
  }
  return opened;
}
