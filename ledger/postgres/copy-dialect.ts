import { CompiledQuery, sql, type QueryExecutorProvider } from 'kysely';
import type { CopyDialect } from '../copy/copy-dialect.ts';
import { TABLES } from '../schema.ts';
import { DATABASE_FACT } from '../database/acceptances.ts';
import { cleaned } from './connection.ts';
import { READ_ONLY } from './errors.ts';
import { isWrittenHere, ORIGIN, SET_BACK_FACT, TABLES_HERE, type Here } from './origin.ts';

/** Names of all tables. */
const NAMES = Object.keys(TABLES);
const ALL = NAMES.join(', ');

/** Copying from and into a ledger in PostgreSQL. */
export const postgresCopy: CopyDialect = {
  isAccepted: async (tx) => {
    const { rows } = await sql<Here & { readonly of: string }>`
      select value as of, ${sql.raw(ORIGIN)} as origin, ${sql.raw(TABLES_HERE)} as tables,
        (select value from facts where name = ${SET_BACK_FACT}) as "setBack"
      from facts where name = ${DATABASE_FACT}`.execute(tx);
    // Without that fact, the next writer records the present database.
    return rows.every(({ of, ...here }) => isWrittenHere(of, here));
  },
  lockTables: async (tx) => {
    // The transaction is idle while the other side is read or counted.
    await run(tx, 'set local idle_in_transaction_session_timeout = 0');
    await run(tx, `lock table ${ALL} in exclusive mode`);
  },
  // Not `delete`: dead lines would stay until the next vacuum, and each query would skip over them.
  empty: async (tx, tables) => {
    await run(tx, 'set local idle_in_transaction_session_timeout = 0');
    await run(tx, `truncate ${tables.join(', ')}`);
  },
  setCounters: async (tx, to) => {
    for (const name of NAMES) await run(tx, `alter table ${name} ${to === 'on' ? 'enable' : 'disable'} trigger user`);
  },
  guard: async (tx, words) => {
    const text = words.replaceAll("'", "''");
    await run(
      tx,
      `create function read_only() returns trigger language plpgsql as
       $body$ begin raise exception using errcode = '${READ_ONLY}', message = tg_argv[0]; end $body$`,
    );
    for (const name of NAMES) {
      await run(
        tx,
        `create trigger read_only before insert or update or delete or truncate on ${name}
         for each statement execute function read_only('${text}')`,
      );
    }
  },
  unguard: (tx) => run(tx, 'drop function if exists read_only() cascade'),
  insert: async (tx, table, lines) => {
    const columns = Object.keys(TABLES[table].columns).join(', ');
    await tx.executeQuery(
      CompiledQuery.raw(
        `insert into ${table} (${columns}) overriding system value
         select ${columns} from json_populate_recordset(null::${table}, $1)`,
        [JSON.stringify(lines)],
      ),
    );
  },
  readNumber: async (tx, { table, column }) => {
    const { rows } = await sql<{ last: number | null }>`
      select pg_sequence_last_value(pg_get_serial_sequence(${table}, ${column})::regclass) as last`.execute(tx);
    return rows[0]?.last ?? 0;
  },
  setNumber: async (tx, { table, column }, last) => {
    const isUsed = last > 0;
    await sql`select setval(pg_get_serial_sequence(${table}, ${column})::regclass, ${isUsed ? last : 1}, ${isUsed})`.execute(
      tx,
    );
  },
  kept: cleaned,
  analyze: (tx) => run(tx, `analyze ${ALL}`),
};

async function run(tx: QueryExecutorProvider, statement: string): Promise<void> {
  await sql.raw(statement).execute(tx);
}
