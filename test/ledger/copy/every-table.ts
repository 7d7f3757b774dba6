import { sql } from 'kysely';
import { TABLES, type Db } from '../../../ledger/schema.ts';
import type { Table } from '../../../ledger/tables/columns.ts';

/** What the columns hold of which a query, or a trigger, asks. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ batch: 'b', step: 'speech', state: 'waiting', outcome: 'failed', control: 'running', charged_from: 'api' },
  ...{ failure_class: 'BadRequest', failure_cause: 'odd' },
};

/** Made by triggers, from the other lines. */
const KEPT: readonly string[] = ['sums', 'row_counts'];

/**
 * Adds two lines to each table, with a value in each column: the first with words of several alphabets and fractions, the other
 * with nothing where that is allowed. A table or column that is added later is among them.
 */
export async function fillEveryTable(db: Db): Promise<void> {
  for (const [name, table] of Object.entries<Table>(TABLES)) {
    if (KEPT.includes(name)) continue;
    for (const n of [1, 2]) {
      const line = sql.join(Object.values(lineOf(name, table, n)));
      const columns = sql.join(Object.keys(lineOf(name, table, n)).map((column) => sql.ref(column)));
      await sql`insert into ${sql.table(name)} (${columns}) values (${line})`.execute(db);
    }
  }
}

function lineOf(name: string, { columns, key }: Table, n: number): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(columns)
      .filter(([, { isNumbered = false }]) => !isNumbered)
      .map(([column, { type, isNullable }]): readonly [string, string | number | null] => {
        if (n === 2 && isNullable) return [column, null];
        if (type !== 'text') return [column, valueOf(column, type, n)];
        if (name === 'batches' && column === 'name') return [column, n === 1 ? 'b' : 'c'];
        const isFree = key.includes(column) && column !== 'batch' && column !== 'step';
        return [column, isFree ? `${column} ${String(n)}` : (WORDS[column] ?? `{"é":"漢字 🎤 '\\" ${String(n)}"}`)];
      }),
  );
}

function valueOf(column: string, type: string, n: number): number {
  if (type === 'double precision') return n === 1 ? 0.1 + 0.2 : 1_234_567.891234;
  if (type === 'bigint') return 1_795_000_000_000 + n;
  return column === 'damaged' || column === 'attempt' ? n % 2 : n;
}
