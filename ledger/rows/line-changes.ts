import type { SelectQueryBuilder } from 'kysely';
import { defined } from '../../contract/defined.ts';
import { ofAttempt } from '../conditions.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import { LedgerMisuse } from '../errors.ts';
import { withSums, sumsOfRow } from '../money/batch-sums.ts';
import { preparedOne, preparedWrite } from '../database/prepared.ts';
import type { ChargeLine, Db, RowLine, Schema, Tx } from '../schema.ts';
import { charges } from '../tables/charges.ts';
import { rows } from '../tables/rows.ts';

/*
 * Reads and changes single lines of `rows` and `charges`. Each set of changed columns has its own statement, which is
 * compiled once. Each change names the subjects whose cached answers it invalidates (`database/unit-of-work.ts`):
 * `row:BATCH/ROW`, `charges:BATCH/ROW`, `sums:BATCH`, `job:ID`, and `making:KEY`, which is the attempt that may produce
 * the result with a cache key.
 */

/** Identifies a row. */
export type RowKey = Pick<AttemptKey, 'batch' | 'row'>;
type Change<P> = (tx: Tx, parameters: P) => Promise<void>;

const rowChanges = new Map<string, Change<RowKey & Partial<RowLine>>>();
const chargeChanges = new Map<string, Change<AttemptKey & Partial<ChargeLine>>>();

/** The subjects of a changed row. If it reopens or goes to another take, also which attempts may produce results. */
function subjectsOfRow({ batch, row, ...change }: RowKey & Partial<RowLine>): readonly string[] {
  const mayMake = change.outcome === null || 'take' in change || 'returned_to' in change;
  return [`row:${batch}/${row}`, `sums:${batch}`, ...(mayMake ? ['making:'] : [])];
}

/** The subjects of a new attempt. */
export function subjectsOfNewCharge({ batch, row, job_id: job, result_key: key }: ChargeLine): readonly string[] {
  const others = [...(job === null ? [] : [`job:${job}`]), ...(key === null ? [] : [`making:${key}`])];
  return [`charges:${batch}/${row}`, `sums:${batch}`, ...others];
}

/**
 * The subjects of a changed attempt. `making:` without a key is about all keys: it is used if the attempt's key is not
 * given.
 */
function subjectsOfCharge({
  batch,
  row,
  job_id: job,
  result_key: key,
}: RowKey & Partial<ChargeLine>): readonly string[] {
  const jobs = job === undefined ? [] : [`job:${job ?? ''}`];
  return [`charges:${batch}/${row}`, `sums:${batch}`, ...jobs, `making:${key ?? ''}`];
}

/** Selects the line of a row. */
export const lineOf = (db: Db | Tx, { batch, row }: RowKey): SelectQueryBuilder<Schema, 'rows', RowLine> =>
  db.selectFrom('rows').selectAll().where('batch', '=', batch).where('row', '=', row);

/** Selects every attempt of a row. */
export const chargesOf = (db: Db | Tx, { batch, row }: RowKey): SelectQueryBuilder<Schema, 'charges', ChargeLine> =>
  db.selectFrom('charges').selectAll().where('batch', '=', batch).where('row', '=', row);

const selectLine = preparedOne(lineOf, ({ batch, row }) => `row:${batch}/${row}`);

/** Reads the line of a row. Throws {@link LedgerMisuse} if there is none. */
export async function readLine(tx: Tx, { batch, row }: RowKey): Promise<RowLine> {
  const line = await selectLine(tx, { batch, row });
  if (line === undefined) throw new LedgerMisuse(`Batch "${batch}" has no row ${row}.`);
  return line;
}

/**
 * Changes these columns of a row, but not the rows that depend on it; for that see `updateRow` (`update-row.ts`).
 * `before`: the present line, if known: the cached sums of the batch are then updated instead of read again.
 */
export async function setRow(
  tx: Tx,
  { batch, row }: RowKey,
  change: Partial<RowLine>,
  before?: RowLine,
): Promise<void> {
  const columns = Object.keys(change) as (keyof RowLine)[];
  const update = onceFor(columns, rowChanges, () =>
    preparedWrite(
      rows,
      (db, given) =>
        db.updateTable('rows').set(pick(columns, given)).where('batch', '=', given.batch).where('row', '=', given.row),
      subjectsOfRow,
    ),
  );
  const write = (): Promise<void> => update(tx, { ...change, batch, row });
  if (before === undefined) await write();
  else await withSums(tx, batch, () => [sumsOfRow(before), sumsOfRow({ ...before, ...change })], write);
}

/** Changes these columns of an attempt. `key.result_key`: its present cache key, if known. */
export async function updateCharge(
  tx: Tx,
  key: AttemptKey & Partial<Pick<ChargeLine, 'result_key'>>,
  change: Partial<ChargeLine>,
): Promise<void> {
  const columns = Object.keys(change) as (keyof ChargeLine)[];
  const update = onceFor(columns, chargeChanges, () =>
    preparedWrite(
      charges,
      (db, given: AttemptKey & Partial<ChargeLine>) =>
        db.updateTable('charges').set(pick(columns, given)).where(ofAttempt(given)),
      subjectsOfCharge,
    ),
  );
  const { batch, row, step, take, attempt, result_key } = key;
  const before = tx.unit === undefined ? {} : defined({ result_key });
  await update(tx, { ...before, ...change, batch, row, step, take, attempt });
}

/** Returns what is cached for this set of columns; makes it on first use. */
function onceFor<T>(columns: readonly string[], cache: Map<string, T>, make: () => T): T {
  const name = columns.join();
  const known = cache.get(name);
  if (known !== undefined) return known;
  const made = make();
  cache.set(name, made);
  return made;
}

function pick<T extends object>(columns: readonly (keyof T)[], from: T): Partial<T> {
  return Object.fromEntries(columns.map((column) => [column, from[column]])) as Partial<T>;
}
