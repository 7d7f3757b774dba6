import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { Kysely, SqliteAdapter, type CompiledQuery, type Dialect } from 'kysely';
import { join } from 'node:path';
import { selectUntouched } from '../../../ledger/money/over-budget.ts';
import { beginRatios, openRequestsOf } from '../../../ledger/money/charge-ratios.ts';
import { finishJob, sending, settle } from '../../../ledger/requests/charges.ts';
import { selectFreeRows, selectReserved } from '../../../ledger/lanes/lanes.ts';
import { countProcessEnds, counts, money, skippedQuotes } from '../../../ledger/batches/counts.ts';
import { earlierUnresolved, holderOfJob, otherUnresolved } from '../../../ledger/requests/unresolved.ts';
import { intend } from '../../../ledger/requests/intents.ts';
import { selectLastRow } from '../../../ledger/rows/last-rows.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { selectIds } from '../../../ledger/rows/rows.ts';
import { selectPage } from '../../../ledger/rows/scans.ts';
import type { Db, Schema } from '../../../ledger/schema.ts';
import { write, withClock } from '../../../ledger/database/transactions.ts';
import { openSqlite } from '../../../ledger/sqlite/dialect.ts';
import { cancelIdle, runningJobs } from '../../../ledger/batches/stops.ts';
import { fill, makeFolder, open } from '../setup.ts';

let path: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  const made = await makeFolder();
  remove = made.remove;
  path = join(made.folder, 'ledger.db');
  await (await open(made.folder)).close();
});
afterEach(() => remove());

function planOf(query: CompiledQuery): string {
  const raw = new Database(path);
  try {
    const steps = raw.prepare(`explain query plan ${query.sql}`).all([...query.parameters]) as { detail: string }[];
    return steps.map(({ detail }) => detail).join('; ');
  } finally {
    raw.close();
  }
}

/** The plans of all queries that this makes, by their SQL. */
async function plansOf(work: (db: Db) => Promise<unknown>): Promise<readonly string[]> {
  const made: CompiledQuery[] = [];
  const dialect = await openSqlite(path);
  // With an adapter that has no way past Kysely, whose log tells of every query then.
  const slow: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => dialect.createDriver(),
    createIntrospector: (database) => dialect.createIntrospector(database),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
  const kysely = new Kysely<Schema>({ dialect: slow, log: ({ query }) => void made.push(query) });
  const db = withClock(kysely, { now: Date.now });
  await work(db);
  await db.destroy();
  return made.filter(({ sql }) => /^(select|update|delete)/.test(sql)).map(planOf);
}

const KEY = { batch: 'b', row: 1, step: 'speech', take: 1, attempt: 1 } as const;
const INTENT = { quoted: 1, quotedRest: 0, owner: 'w', maxSending: 9 };

describe('query plans', () => {
  it.each<[string, string, (db: Db) => Promise<unknown>]>([
    ['attempts on the wire', 'INDEX charges_sending (batch=?)', (db) => sending(db, 'b')],
    ['jobs that run', 'INDEX charges_running (batch=?)', (db) => runningJobs(db, 'b')],
    ['attempts in doubt', 'INDEX charges_doubt', (db) => otherUnresolved(db, 'http://a', 'u', KEY, 0)],
    ['doubts of earlier takes', 'INDEX charges_doubt (batch=?', (db) => earlierUnresolved(db, 'b', 5)],
    ['who has a job', 'INDEX charges_job (job_id=?', (db) => holderOfJob(db, 'http://a', 'u', 'speech', 'j')],
    [
      'untouched rows above a price',
      'INDEX rows_untouched (batch=? AND quoted>?)',
      (db) => selectUntouched(db, 'b', 1).execute(),
    ],
    ['rows to be cancelled', 'INDEX rows_open (batch=? AND row>?)', (db) => write(db, (tx) => cancelIdle(tx, 'b'))],
    [
      'rows that have not ended',
      'INDEX rows_open (batch=? AND row>?)',
      (db) => selectPage(db, 'b', { isOpen: true }, { row: 5, endedAt: 0 }).execute(),
    ],
    [
      'rows and parts that ended so',
      'INDEX rows_outcome (batch=? AND outcome=? AND row>?)',
      (db) => selectPage(db, 'b', { outcome: 'unknown', inParts: true }, { row: 5, endedAt: 0 }).execute(),
    ],
    [
      'parts that ended so',
      'INDEX rows_outcome (batch=? AND outcome=? AND row>?)',
      (db) => selectPage(db, 'b', { outcome: 'unknown', onlyParts: true }, { row: 5, endedAt: 0 }).execute(),
    ],
    ['rows by their ids', 'batch=? AND id=?', (db) => selectIds(db, 'b', ['r1', 'r2']).execute()],
    [
      'rows that ended since',
      'INDEX rows_ended (batch=? AND ended_at>?)',
      (db) => selectPage(db, 'b', { endedSince: 5 }, { row: 0, endedAt: 0 }).execute(),
    ],
    [
      'rows that are not chosen',
      'INDEX rows_not_chosen (batch=? AND outcome=? AND ended_at=? AND row>?)',
      (db) => selectPage(db, 'b', { isNotChosen: true }, { row: 5, endedAt: 0 }).execute(),
    ],
    [
      'their prices',
      'COVERING INDEX rows_not_chosen (batch=? AND outcome=? AND ended_at=?)',
      (db) => skippedQuotes(db, 'b'),
    ],
    [
      'the last row of an id',
      'INDEX rows_loaded (id=?)',
      (db) => selectLastRow(db, { apiUrl: 'http://a', account: 'u', id: 'r1' }).execute(),
    ],
    ['counts', 'INDEX sqlite_autoindex_row_counts_1 (batch=?)', (db) => counts(db, 'b')],
    [
      'rows that the end of a process left unknown',
      'INDEX rows_outcome (batch=? AND outcome=?)',
      (db) => countProcessEnds(db, 'b'),
    ],
    ['what open requests may cost', 'INDEX charges_running (batch=?)', (db) => openRequestsOf(db, 'b')],
    ['what requests in flight or in doubt may cost', 'INDEX charges_doubt (batch=?)', (db) => openRequestsOf(db, 'b')],
    [
      'operations with open requests',
      'INDEX charges_running (batch=?)',
      (db) => write(db, (tx) => beginRatios(tx, 'b')),
    ],
    [
      'what the budget holds room for',
      'COVERING INDEX rows_reserved (batch=? AND state=?)',
      (db) => selectReserved(db, { batch: 'b', limit: 10 }),
    ],
    ['the money', 'INDEX sqlite_autoindex_sums_1 (batch=?)', (db) => money(db, 'b')],
    [
      'what an intent looks at',
      'INDEX sqlite_autoindex_charges_1 (batch=? AND row=?)',
      (db) => intend(db, KEY, INTENT),
    ],
    [
      'what a verdict looks at',
      'INDEX sqlite_autoindex_rows_1 (batch=? AND row=?)',
      (db) => settle(db, KEY, { verdict: 'accepted', jobId: 'j' }, { state: 'processing' }),
    ],
    [
      'what the end of a job looks at',
      'INDEX sqlite_autoindex_charges_1 (batch=? AND row=?',
      (db) => finishJob(db, { ...KEY, row: 2 }, {}, { outcome: 'failed' }),
    ],
  ])('finds %s by an index', async (_, index, work) => {
    const ledger = await openLedger(path);
    await fill(ledger, 2);
    for (const row of [1, 2]) await ledger.intend({ ...KEY, row }, INTENT);
    await ledger.settle({ ...KEY, row: 2 }, { verdict: 'accepted', jobId: 'other' }, { state: 'processing' });
    await ledger.close();
    const plans = await plansOf(work);
    expect(plans.join('\n')).toContain(index);
    // A partial index that is walked through is small; a table is not.
    for (const plan of plans) expect(plan).not.toMatch(/SCAN (rows|charges|c|r)\b(?! USING)/);
  });

  it('finds free rows through their index, in order, without sorting', async () => {
    const db = withClock(new Kysely<Schema>({ dialect: await openSqlite(path) }), { now: Date.now });
    const plan = planOf(selectFreeRows(db, 'b', ['waiting'], 10).compile());
    await db.destroy();
    expect(plan).toContain('COVERING INDEX rows_free (batch=? AND state=?)');
    expect(plan).not.toContain('TEMP B-TREE');
  });
});
