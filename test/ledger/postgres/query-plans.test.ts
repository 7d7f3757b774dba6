import { expect, it } from '@jest/globals';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type CompiledQuery,
} from 'kysely';
import { randomUUID } from 'node:crypto';
import { withClock } from '../../../ledger/database/transactions.ts';
import { selectFreeRows } from '../../../ledger/lanes/free-rows.ts';
import { openDatabase, openLedger } from '../../../ledger/open-ledger.ts';
import { LOOK_UP_BY_KEY } from '../../../ledger/postgres/sessions.ts';
import type { Db, Schema } from '../../../ledger/schema.ts';
import { fill } from '../setup.ts';

/** The statement that this makes. */
async function statementOf(ask: (db: Db) => Promise<unknown>): Promise<string> {
  const made: CompiledQuery[] = [];
  const dry = new Kysely<Schema>({
    dialect: {
      createDriver: () => new DummyDriver(),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (one) => new PostgresIntrospector(one),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void made.push(query),
  });
  await ask(withClock(dry, { now: Date.now }));
  return made[0]?.sql ?? '';
}

/** What has happened to the rows of a batch since it was loaded. */
const HAPPENED: Readonly<Record<string, string>> = {
  nothing: 'select 1',
  'nothing, but they were analyzed': 'analyze rows',
  'half of them ended': `update rows set outcome = 'succeeded', state = 'fetching', ended_at = 1 where row <= 1000`,
  'half of them ended, and they were analyzed': 'analyze rows',
};

it('a claim looks at free rows of one state only, whatever has happened to the others', async () => {
  const statement = await statementOf((db) => selectFreeRows(db, { batch: 'b', state: 'waiting', limit: 10 }));
  const place = `${process.env['TEST_POSTGRES'] ?? ''}?schema=q${randomUUID().slice(0, 8)}`;
  const ledger = await openLedger(place, { makesTables: true });
  const { db } = await openDatabase({ place, mustExist: true });
  try {
    await fill(ledger, 2_000);
    for (const [happened, change] of Object.entries(HAPPENED)) {
      await sql.raw(change).execute(db);
      for (const state of ['fetching', 'waiting']) {
        const plan = await planOf(db, statement, state);
        expect({ happened, state, plan }).toMatchObject({ plan: expect.stringMatching(/using rows_free/) });
        expect({ happened, state, plan }).toMatchObject({ plan: expect.not.stringMatching(/Rows Removed|Sort/) });
      }
    }
  } finally {
    await Promise.all([ledger.close(), db.destroy()]);
  }
});

/** As a group of writes plans it, and what it then reads. */
async function planOf(db: Db, statement: string, state: string): Promise<string> {
  return db.transaction().execute(async (tx) => {
    await sql.raw(LOOK_UP_BY_KEY).execute(tx);
    await sql.raw(`prepare asked as ${statement}`).execute(tx);
    const asked = sql.raw<Record<'QUERY PLAN', string>>(
      `explain (analyze, costs off, timing off) execute asked('b', '${state}', '${state}', 10)`,
    );
    const { rows } = await asked.execute(tx);
    await sql.raw('deallocate asked').execute(tx);
    return rows.map((line) => line['QUERY PLAN']).join('\n');
  });
}
