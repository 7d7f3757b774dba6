import { ofAttempt } from '../conditions.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import { LedgerMisuse } from '../errors.ts';
import { prepared, preparedOne } from '../database/prepared.ts';
import type { ChargeLine, Db, RowLine, Tx } from '../schema.ts';

/** Changes of single lines; each set of columns has its own statement, prepared once. */

export type RowKey = Pick<AttemptKey, 'batch' | 'row'>;
type Change<P> = (db: Db | Tx, parameters: P) => Promise<unknown>;

const rowChanges = new Map<string, Change<RowKey & Partial<RowLine>>>();
const chargeChanges = new Map<string, Change<AttemptKey & Partial<ChargeLine>>>();

const selectLine = preparedOne((db, { batch, row }: RowKey) =>
  db.selectFrom('rows').selectAll().where('batch', '=', batch).where('row', '=', row),
);

/** A row as it is. Throws {@link LedgerMisuse} if there is none. */
export async function readLine(tx: Tx, { batch, row }: RowKey): Promise<RowLine> {
  const line = await selectLine(tx, { batch, row });
  if (line === undefined) throw new LedgerMisuse(`Batch "${batch}" has no row ${row}.`);
  return line;
}

/** Changes these columns of a row, without updating the rows that depend on it; see `updateRow`. */
export async function setRow(tx: Tx, { batch, row }: RowKey, change: Partial<RowLine>): Promise<void> {
  const columns = Object.keys(change) as (keyof RowLine)[];
  const update = keep(rowChanges, columns, () =>
    prepared((db, given) =>
      db.updateTable('rows').set(pick(columns, given)).where('batch', '=', given.batch).where('row', '=', given.row),
    ),
  );
  await update(tx, { ...change, batch, row });
}

/** Changes these columns of an attempt. */
export async function updateCharge(tx: Tx, key: AttemptKey, change: Partial<ChargeLine>): Promise<void> {
  const columns = Object.keys(change) as (keyof ChargeLine)[];
  const update = keep(chargeChanges, columns, () =>
    prepared((db, given) => db.updateTable('charges').set(pick(columns, given)).where(ofAttempt(given))),
  );
  const { batch, row, step, take, attempt } = key;
  await update(tx, { ...change, batch, row, step, take, attempt });
}

function keep<T>(kept: Map<string, T>, columns: readonly string[], make: () => T): T {
  const name = columns.join();
  const known = kept.get(name);
  if (known !== undefined) return known;
  const made = make();
  kept.set(name, made);
  return made;
}

function pick<T extends object>(columns: readonly (keyof T)[], from: T): Partial<T> {
  return Object.fromEntries(columns.map((column) => [column, from[column]])) as Partial<T>;
}
