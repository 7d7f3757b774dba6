import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { TABLES, type Schema, type Tx } from '../schema.ts';
import type { Table } from '../tables/columns.ts';
import type { AnyLine, CopyDialect } from './copy-dialect.ts';

/** Lines that are read and inserted at once. */
const PORTION = 500;

/** A table's lines: their number, and a SHA-256 (hex) over all their values in order of the key. */
export interface LinesRead {
  readonly lines: number;
  readonly digest: string;
}

/** Names of facts about a database, not about the ledger, which are not copied. */
const FACTS_OF_PLACE = /^(server|moved|incoming|copied|oldest-for-.*|database|before:.*|set-back|writers|commit:.*)$/;

/** Copies all lines of a table. Calls `onPortion` with the number of lines so far. */
export async function copyLines(
  table: keyof Schema,
  from: Tx,
  to: { readonly tx: Tx; readonly dialect: CopyDialect },
  onPortion: (lines: number) => void,
): Promise<LinesRead> {
  return readLines(table, from, async (lines, soFar) => {
    const kept = lines.map((line) => keptBy(to.dialect, TABLES[table], line));
    await to.dialect.insert(to.tx, table, kept);
    onPortion(soFar);
    return kept;
  });
}

/** Reads all lines of a copied table, for comparing it with the original. */
export function rereadLines(table: keyof Schema, tx: Tx): Promise<LinesRead> {
  return readLines(table, tx, (lines) => Promise.resolve(lines));
}

/** Reads a table in portions, in order of its key, and passes them to `handle`, which returns the lines to hash. */
async function readLines(
  table: keyof Schema,
  tx: Tx,
  handle: (lines: readonly AnyLine[], soFar: number) => Promise<readonly AnyLine[]>,
): Promise<LinesRead> {
  const { columns, key }: Table = TABLES[table];
  const names = Object.keys(columns);
  const hash = createHash('sha256');
  const keys = sql.join(key.map((name) => sql.ref(name)));
  let last: AnyLine | undefined;
  let lines = 0;
  for (;;) {
    const after = last;
    const isNext =
      after === undefined ? sql`true` : sql`(${keys}) > (${sql.join(key.map((name) => sql.val(after[name] ?? null)))})`;
    const portion = await sql<AnyLine>`
      select ${sql.join(names.map((name) => sql.ref(name)))} from ${sql.table(table)}
      where ${isNext} order by ${keys} limit ${PORTION}`.execute(tx);
    last = portion.rows.at(-1);
    if (last === undefined) return { lines, digest: hash.digest('hex') };
    const wanted = portion.rows.filter((line) => !isOfPlace(table, line));
    lines += wanted.length;
    for (const line of await handle(wanted, lines)) hash.update(JSON.stringify(names.map((name) => line[name])) + '\n');
  }
}

/** Whether a line is a fact that is not copied. */
function isOfPlace(table: keyof Schema, line: AnyLine): boolean {
  return table === 'facts' && FACTS_OF_PLACE.test(String(line['name']));
}

/** Returns a line as the target stores it. Rounds fractions, which SQLite allows in columns of whole numbers. */
function keptBy({ kept }: CopyDialect, { columns }: Table, line: AnyLine): AnyLine {
  return Object.fromEntries(
    Object.entries(columns).map(([name, { type }]): readonly [string, AnyLine[string]] => {
      const value = line[name] ?? null;
      if (typeof value === 'string') return [name, kept(value)];
      return [name, typeof value === 'number' && type !== 'double precision' ? Math.round(value) : value];
    }),
  );
}
