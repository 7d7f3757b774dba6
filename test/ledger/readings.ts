import { expect } from '@jest/globals';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { ChargeRecord } from '../../ledger/requests/charge-records.ts';
import type { Money } from '../../ledger/batches/counts.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';
import { expectKept } from './recount.ts';
import { claimAnew, ledger } from './setup.ts';

/** What the ledger of the test says, of its batch `b` if nothing else is said. */

export async function standing(row: number, name = 'b'): Promise<{ row: RowRecord; charges: readonly ChargeRecord[] }> {
  const found = await ledger.readRow(name, row);
  if (found === undefined) throw new Error(`there is no row ${row} in ${name}`);
  return found;
}

export async function rowOf(row: number, name = 'b'): Promise<RowRecord> {
  return (await standing(row, name)).row;
}

export async function chargesOf(row: number, name = 'b'): Promise<readonly ChargeRecord[]> {
  return (await standing(row, name)).charges;
}

export async function messageOf(row: number): Promise<string | undefined> {
  return (await rowOf(row)).failure?.message;
}

/** The outcome, or else the state, of each row. */
export async function outcomes(name = 'b'): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const { row } of ledger.scanRows(name)) all.push(row.outcome ?? row.state);
  return all;
}

export async function batchOf(name = 'b'): Promise<BatchRecord> {
  const found = await ledger.findBatch(name);
  if (found === undefined) throw new Error(`there is no batch ${name}`);
  return found;
}

export async function halted(): Promise<string | null> {
  return (await batchOf()).halted;
}

export async function money(name = 'b'): Promise<Money> {
  return ledger.money(name);
}

/** The rows that a new holder of lane 1 is given. */
export async function claimed(): Promise<readonly number[]> {
  return (await claimAnew(ledger)).rows.map(({ row }) => row.row);
}

/** Closes the batch, all of whose rows have ended. */
export async function close(name = 'b'): Promise<void> {
  expect(await ledger.closeBatch(name)).toBe(0);
}

export const kept = (name = 'b'): Promise<void> => expectKept(ledger, name);
