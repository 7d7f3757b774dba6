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
import { idleRows } from '../../../ledger/batches/unfinished.ts';
import { withClock } from '../../../ledger/database/transactions.ts';
import { selectFreeRows } from '../../../ledger/lanes/lane-shares.ts';
import { openDatabase, openLedger } from '../../../ledger/open-ledger.ts';
import { LOOK_UP_BY_KEY } from '../../../ledger/postgres/session.ts';
import { selectChargesOf, selectLines } from '../../../ledger/rows/rows.ts';
import type { Db, Schema, Tx } from '../../../ledger/schema.ts';
import { fill } from '../setup.ts';
import { newPlace } from './new-place.ts';

/** The statements that this makes. */
async function statementsOf(ask: (db: Db) => Promise<unknown>): Promise<readonly string[]> {
  const made: CompiledQuery[] = [];
  const dry = new Kysely<Schema>({
    dialect: {
      createDriver: () => new DummyDriver(),
      createAdapter: () => Object.assign(new PostgresAdapter(), { beginUnit: () => undefined }),
      createIntrospector: (one) => new PostgresIntrospector(one),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void made.push(query),
  });
  await ask(withClock(dry, { now: Date.now }));
  return made.map(({ sql: made }) => made);
}

/** What has happened to the rows of a batch since it was loaded. */
const HAPPENED: Readonly<Record<string, string>> = {
  nothing: 'select 1',
  'nothing, but they were analyzed': 'analyze rows',
  'half of them ended': `update rows set outcome = 'succeeded', state = 'fetching', ended_at = 1 where row <= 1000`,
  'half of them ended, and they were analyzed': 'analyze rows',
};

it('a claim looks at free rows of one state only, whatever has happened to the others', async () => {
  const [statement = ''] = await statementsOf((db) => selectFreeRows(db, { batch: 'b', state: 'waiting', limit: 10 }));
  await withRows(async (db) => {
    for (const [happened, change] of Object.entries(HAPPENED)) {
      await sql.raw(change).execute(db);
      for (const state of ['fetching', 'waiting']) {
        const plan = await planOf(db, statement, `'b', '${state}', '${state}', 10`);
        expect({ happened, state, plan }).toMatchObject({ plan: expect.stringMatching(/using rows_free/) });
        expect({ happened, state, plan }).toMatchObject({ plan: expect.not.stringMatching(/Rows Removed|Sort/) });
      }
    }
  });
});

it('rows that are known by number are looked up by number, whatever the planner takes the batch for', async () => {
  const keys = [7, 8].map((row) => ({ batch: 'b', row }));
  const statements = await statementsOf(async (db) => {
    for (const select of [selectLines, selectChargesOf]) await select(db as unknown as Tx, keys);
  });
  await withRows(async (db) => {
    await sql.raw(ADD_CHARGES).execute(db);
    for (const statement of statements) {
      const plan = await planOf(db, statement, `'b', '{7,8}'`);
      expect(plan).toMatch(/Index Cond: \(\(batch = .*\) AND \(.*row"? = /);
      expect(plan).not.toMatch(/Rows Removed/);
    }
  });
  expect(statements).toHaveLength(2);
});

it('the rows of a stopping batch are compared with their own requests, not with all of them', async () => {
  const page = { after: 0, max: 250 };
  const [statement = ''] = await statementsOf((db) => idleRows(db as unknown as Tx, 'b', page));
  await withRows(async (db) => {
    await sql.raw(ADD_CHARGES).execute(db);
    const plan = await planOf(db, statement, `'b', 'sending', 1, 0, 0, 250`);
    expect(plan).toMatch(/NOT \(SubPlan 1\)/);
    expect(plan).toMatch(
      /charges_key on charges c .*\n *Index Cond: \(\(batch = r\.batch\) AND \("row" = r\."row"\)\)/,
    );
    expect(plan).not.toMatch(/Materialize/);
  });
});

/** Nobody has analyzed them yet, so the planner takes a batch for a small part of them. */
const ADD_CHARGES = `insert into charges (batch, row, step, take, attempt, state, owner, intent_at, damaged)
  select batch, row, 'speech', 1, 1, 'accepted', 'w', 1, 0 from rows`;

/** A batch of 2,000 rows. */
async function withRows(look: (db: Db) => Promise<void>): Promise<void> {
  const place = newPlace();
  const ledger = await openLedger(place, { makesTables: true });
  const { db } = await openDatabase({ place, mustExist: true });
  try {
    await fill(ledger, 2_000);
    await look(db);
  } finally {
    await Promise.all([ledger.close(), db.destroy()]);
  }
}

/** As a group of writes plans it, and what it then reads. */
async function planOf(db: Db, statement: string, values: string): Promise<string> {
  return db.transaction().execute(async (tx) => {
    await sql.raw(LOOK_UP_BY_KEY).execute(tx);
    await sql.raw(`prepare asked as ${statement}`).execute(tx);
    const asked = sql.raw<Record<'QUERY PLAN', string>>(
      `explain (analyze, costs off, timing off) execute asked(${values})`,
    );
    const { rows } = await asked.execute(tx);
    await sql.raw('deallocate asked').execute(tx);
    return rows.map((line) => line['QUERY PLAN']).join('\n');
  });
}
