import { CompiledQuery, sql, type QueryExecutorProvider } from 'kysely';
import type { CopyDialect } from '../copy/copy-dialect.ts';
import { readLedgerFacts } from '../copy/read-only.ts';
import { execute } from '../database/prepared.ts';
import { TABLES } from '../schema.ts';
import { TRIGGERS } from './triggers.ts';

const NAMES = Object.keys(TABLES);
const EVENTS = ['insert', 'update', 'delete'] as const;

/** Copying from and into a ledger in SQLite. */
export const sqliteCopy: CopyDialect = {
  // A copy of a file is a backup, which has a fact that says so.
  isAccepted: async (tx) => (await readLedgerFacts(tx)).readOnly?.type !== 'backup',
  // A write transaction locks the whole file.
  lockTables: () => Promise.resolve(),
  empty: async (tx, tables) => {
    for (const name of tables.toReversed()) await run(tx, `delete from ${name}`);
  },
  setCounters: async (tx, to) => {
    for (const trigger of TRIGGERS) {
      const name = /create trigger (\w+)/.exec(trigger)?.[1] ?? '';
      await run(tx, to === 'on' ? trigger : `drop trigger ${name}`);
    }
  },
  guard: async (tx, words) => {
    for (const guard of guards(words)) await run(tx, guard);
  },
  unguard: async (tx) => {
    for (const name of NAMES)
      for (const event of EVENTS) await run(tx, `drop trigger if exists ${guardName(name, event)}`);
  },
  insert: async (tx, table, lines) => {
    const columns = Object.keys(TABLES[table].columns);
    const insert = CompiledQuery.raw(
      `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
    );
    for (const line of lines) {
      await execute(
        tx,
        insert,
        columns.map((name) => line[name] ?? null),
      );
    }
  },
  readNumber: async (tx, { table }) => {
    const { rows } = await sql<{ seq: number }>`select seq from sqlite_sequence where name = ${table}`.execute(tx);
    return rows[0]?.seq ?? 0;
  },
  setNumber: async (tx, { table }, last) => {
    await sql`delete from sqlite_sequence where name = ${table}`.execute(tx);
    await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(tx);
  },
  kept: (value) => value,
  // No statistics: the tests of query plans expect SQLite's default plans.
  analyze: () => Promise.resolve(),
};

/** Returns the statements that create triggers which refuse every write with this message. */
export function guards(words: string): readonly string[] {
  const text = words.replaceAll("'", "''");
  return NAMES.flatMap((name) =>
    EVENTS.map(
      (event) =>
        `create trigger ${guardName(name, event)} before ${event} on ${name} begin select raise(abort, '${text}'); end`,
    ),
  );
}

function guardName(table: string, event: string): string {
  return `read_only_${table}_${event}`;
}

async function run(tx: QueryExecutorProvider, statement: string): Promise<void> {
  await sql.raw(statement).execute(tx);
}
