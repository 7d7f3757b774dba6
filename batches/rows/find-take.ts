import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { findRow } from './choose-rows.ts';

/** A row, or one of its takes. */
export interface RowTake {
  readonly row: number;
  /** Default: the take that the row is at. */
  readonly take?: number;
}

/** What {@link findTake} found. `takes`: how many the row `word` has had. */
export type TakeByName =
  | ({ readonly type: 'found' } & RowTake)
  | { readonly type: 'no-row'; readonly word: string }
  | { readonly type: 'no-take'; readonly word: string; readonly take: number; readonly takes: number };

/** Finds a row (`ROW`) or one of its takes (`ROW/TAKE`); ROW is an id, or a number where no row has that id. */
export async function findTake(
  ledger: Pick<Ledger, 'findRowById' | 'readRow'>,
  batch: Pick<BatchRecord, 'name' | 'rows'>,
  text: string,
): Promise<TakeByName> {
  const parts = /^(.+)\/([1-9]\d{0,5})$/u.exec(text);
  const whole = await findRow(ledger, batch, text);
  // An id may itself have a slash.
  if (whole !== undefined) return { type: 'found', row: whole };
  if (parts === null) return { type: 'no-row', word: text };
  const word = parts[1] ?? '';
  const row = await findRow(ledger, batch, word);
  if (row === undefined) return { type: 'no-row', word };
  const take = Number(parts[2]);
  const takes = (await ledger.readRow(batch.name, row))?.row.take ?? 1;
  return take > takes ? { type: 'no-take', word, take, takes } : { type: 'found', row, take };
}
