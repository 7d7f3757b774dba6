import { sql, type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely, type RawBuilder } from 'kysely';
import { TABLES_OF, type Schema } from '../schema.ts';
import type { VersionName } from '../versions.ts';
import type { Column, Table } from './columns.ts';

/*
 * Creates the tables of a ledger. Columns, foreign keys and indexes are the same in every kind of database.
 */

/** How a kind of database declares a column. */
export interface TableDialect {
  readonly typeOf: (column: Column) => Column['type'] | RawBuilder<unknown>;
  /** Declares that the database generates a column's values. */
  readonly numbered: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** What follows the columns of a table whose lines arrive roughly in key order. Default: nothing. */
  readonly endOfSorted?: string;
}

/** Foreign keys: a line needs a line of the other table with the same values in these columns. */
const REFERENCES: readonly (readonly [table: keyof Schema, columns: readonly string[], to: keyof Schema])[] = [
  ['rows', ['batch'], 'batches'],
  ['charges', ['batch', 'row'], 'rows'],
  ['takes', ['batch', 'row'], 'rows'],
  ['lanes', ['batch'], 'batches'],
];

/** Tables whose lines arrive roughly in key order, because the rows of a batch end about in order. */
const SORTED: readonly string[] = ['results'];

/** An index. */
interface Index {
  readonly on: keyof Schema;
  readonly columns: readonly string[];
  /** Condition of a partial index, word for word as in `ledger/conditions.ts`. Default: all lines. */
  readonly where?: string;
  readonly isUnique?: true;
}

/** All indexes, by name. The comments say which queries they serve. */
const INDEXES: Readonly<Record<string, Index>> = {
  rows_id: { on: 'rows', columns: ['batch', 'id'], isUnique: true },
  // Within an id, the last loaded row of any batch comes last.
  rows_loaded: { on: 'rows', columns: ['id', 'loaded'] },
  // Open rows only, so that claims and state counts of a big batch cost as much as its open rows, not all its rows.
  // `outcome` is in it, though always empty, because SQLite reads the whole row otherwise.
  rows_open: { on: 'rows', columns: ['batch', 'row', 'state', 'outcome'], where: 'outcome is null' },
  // For claims: rows leave the index when they are claimed, so that later changes do not update it.
  rows_free: {
    on: 'rows',
    columns: ['batch', 'state', 'row', 'outcome', 'lane'],
    where: 'outcome is null and lane is null',
  },
  // For claims: rows with reserved budget come first.
  rows_reserved: {
    on: 'rows',
    columns: ['batch', 'state', 'row', 'outcome', 'lane', 'promised'],
    where: `outcome is null and lane is null and state = 'waiting' and promised > 0`,
  },
  // Rows held by lanes: as many as are in flight.
  rows_lane: { on: 'rows', columns: ['batch', 'lane', 'row'], where: 'outcome is null and lane is not null' },
  // Unsent rows by price: those that do not fit the budget end together.
  rows_untouched: {
    on: 'rows',
    columns: ['batch', 'quoted', 'row'],
    where: `outcome is null and state = 'waiting' and take = 1`,
  },
  rows_outcome: { on: 'rows', columns: ['batch', 'outcome', 'row'], where: 'outcome is not null' },
  rows_ended: { on: 'rows', columns: ['batch', 'ended_at', 'row'], where: 'ended_at is not null' },
  // Also covers the quotes of rows that were not chosen, without their parts.
  rows_not_chosen: {
    on: 'rows',
    columns: ['batch', 'outcome', 'ended_at', 'row', 'quoted', 'part_of'],
    where: `outcome = 'skipped' and ended_at is null`,
  },
  rows_voice_row: { on: 'rows', columns: ['batch', 'voice_row'], where: 'voice_row is not null' },
  rows_awaits: { on: 'rows', columns: ['batch', 'awaits'], where: 'awaits is not null' },
  rows_made_voices: { on: 'rows', columns: ['text'], where: `kind = 'voice' and outcome = 'succeeded'` },
  rows_part_of: { on: 'rows', columns: ['batch', 'part_of', 'row'], where: 'part_of is not null' },
  rows_open_parts: {
    on: 'rows',
    columns: ['batch', 'part_of'],
    where: 'part_of is not null and outcome is null',
  },
  charges_sending: { on: 'charges', columns: ['batch', 'row'], where: `state = 'sending'` },
  // Attempts that may have made a job that no attempt has on record.
  charges_doubt: {
    on: 'charges',
    columns: ['batch', 'row', 'step', 'intent_at'],
    where: `state in ('sending', 'unknown')`,
  },
  // Running jobs: few among all that ever ran.
  charges_running: {
    on: 'charges',
    columns: ['batch', 'row'],
    where: `state = 'accepted' and finished_at is null`,
  },
  charges_job: { on: 'charges', columns: ['job_id', 'batch'], where: 'job_id is not null' },
  // Attempts that may still produce a result; finished and failed ones leave the index.
  charges_making: {
    on: 'charges',
    columns: ['result_key'],
    where: `result_key is not null and state in ('sending', 'accepted', 'unknown') and finished_at is null`,
  },
  results_by_key: { on: 'results', columns: ['key', 'made_at'] },
  notices_due: { on: 'notices', columns: ['due_at'], where: 'ended_at is null' },
  notices_batch: { on: 'notices', columns: ['batch', 'made_at'] },
  allowed_firings_of: { on: 'allowed_firings', columns: ['schedule'] },
  actions_of_batch: { on: 'actions', columns: ['batch', 'number'], where: 'batch is not null' },
  actions_of_schedule: { on: 'actions', columns: ['schedule', 'number'], where: 'schedule is not null' },
};

/** Creates the empty tables that a version adds, and their indexes. */
export async function createTables(db: Kysely<unknown>, dialect: TableDialect, version: VersionName): Promise<void> {
  const tables: Readonly<Record<string, Table>> = TABLES_OF[version];
  for (const [name, table] of Object.entries(tables)) await createTable(db, name, table, dialect, tables);
  for (const [name, { on, columns, where, isUnique }] of Object.entries(INDEXES)) {
    if (!(on in tables)) continue;
    const index = db.schema
      .createIndex(name)
      .on(on)
      .columns([...columns]);
    const some = where === undefined ? index : index.where(sql.raw<boolean>(where));
    await (isUnique === true ? some.unique() : some).execute();
  }
}

async function createTable(
  db: Kysely<unknown>,
  name: string,
  { columns, key }: Table,
  { typeOf, numbered, endOfSorted }: TableDialect,
  tables: Readonly<Record<string, Table>>,
): Promise<void> {
  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  for (const [columnName, column] of Object.entries(columns)) {
    const { isNullable, byDefault, isNumbered = false } = column;
    table = table.addColumn(columnName, typeOf(column), (c) => {
      if (isNumbered) return numbered(c.primaryKey());
      const filled = isNullable ? c : c.notNull();
      return byDefault === undefined ? filled : filled.defaultTo(byDefault);
    });
  }
  // A generated number is already the key.
  if (!Object.values(columns).some((column) => column.isNumbered))
    table = table.addPrimaryKeyConstraint(`${name}_key`, [...key]);
  for (const [from, own, to] of REFERENCES) {
    if (from !== name) continue;
    table = table.addForeignKeyConstraint(`${name}_${to}`, [...own], to, [...(tables[to]?.key ?? [])]);
  }
  const isSorted = endOfSorted !== undefined && SORTED.includes(name);
  await (isSorted ? table.modifyEnd(sql.raw(endOfSorted)) : table).execute();
}
