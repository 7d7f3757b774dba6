import { readBatchLine } from '../batches/read-batches.ts';
import { ofRow, hasSentSibling, isPart, isUnsent } from '../conditions.ts';
import { setRow } from '../rows/line-changes.ts';
import { toSettings } from '../batches/batch-records.ts';
import type { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { ChargeLine, RowLine, Tx } from '../schema.ts';

/*
 * Budget reservations of split rows, whose text is spoken in parts. With the first request of such a row, all its
 * unsent parts reserve their quotes. So the row starts only if there is room for all of it, and no other row takes that
 * room.
 */

/** What a budget needs to know of a part that was not sent in its current take. */
export type UnsentPart = Pick<RowLine, 'row' | 'quoted' | 'promised'>;

/** Reads the other open, unsent parts of a part's row; none for a row that is not a part. */
export async function unsentBeside(tx: Tx, { batch, row, part_of: whole }: RowLine): Promise<readonly RowLine[]> {
  if (whole === null) return [];
  return tx
    .selectFrom('rows')
    .selectAll()
    .where('batch', '=', batch)
    .where('part_of', '=', whole)
    .where(isPart('rows'))
    .where('row', '<>', row)
    .where('outcome', 'is', null)
    .where('state', 'in', ['waiting', 'blocked'])
    .where(isUnsent('rows', 'in-this-take'))
    .execute();
}

/**
 * Reads the other unsent parts of a part's row that have no reservation: all of them when the first part is sent. None
 * for a part that has a reservation itself.
 */
export async function unreservedBeside(tx: Tx, line: RowLine): Promise<readonly RowLine[]> {
  if (line.part_of === null || line.promised > 0) return [];
  return (await unsentBeside(tx, line)).filter(({ promised }) => promised === 0);
}

/** Returns the quotes of these parts, in credits; null if any price is unknown. */
export function quotesOf(parts: readonly UnsentPart[]): readonly number[] | null {
  const quotes = parts.flatMap(({ quoted }) => quoted ?? []);
  return quotes.length < parts.length ? null : quotes;
}

/** Reserves the quotes of these parts. */
export async function reserve(tx: Tx, batch: string, parts: readonly UnsentPart[]): Promise<void> {
  for (const { row, quoted } of parts) await setRow(tx, { batch, row }, { promised: quoted ?? 0 });
}

/**
 * Reserves the quote of a part whose request was not accepted, and so no longer counts as in flight, until it is sent
 * again. A part that waits for its voice reserves nothing unless another part of its row was sent.
 */
export async function reserveAgain(row: RowInTransaction, { quoted }: ChargeLine): Promise<void> {
  const { line, tx } = row;
  if (line.part_of === null || line.outcome !== null) return;
  if (line.state === 'blocked' && !(await isRowBegun(tx, line))) return;
  const { settings } = await readBatchLine(tx, line.batch);
  if (toSettings(settings).budget !== null) await row.change({ promised: line.promised + (quoted ?? 0) });
}

/** Whether another part of the part's row was sent. */
async function isRowBegun(tx: Tx, { batch, row }: RowLine): Promise<boolean> {
  const begun = await tx
    .selectFrom('rows')
    .select('row')
    .where(ofRow({ batch, row }))
    .where(hasSentSibling('rows'))
    .executeTakeFirst();
  return begun !== undefined;
}
