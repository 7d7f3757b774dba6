import { beforeEach, expect, it } from '@jest/globals';
import Database from 'libsql';
import { Kysely, SqliteAdapter, type CompiledQuery, type Dialect } from 'kysely';
import { join } from 'node:path';
import { oldestRow, recentEnds } from '../../../ledger/batches/progress.ts';
import { countProcessEnds, counts, money, skippedQuotes } from '../../../ledger/batches/counts.ts';
import { idleRows, runningJobs } from '../../../ledger/batches/unfinished.ts';
import { readSnapshot, write, withClock } from '../../../ledger/database/transactions.ts';
import { selectEnded, selectOnWire } from '../../../ledger/status/api-health.ts';
import { selectReserved } from '../../../ledger/lanes/claims.ts';
import { selectFreeRows } from '../../../ledger/lanes/lane-shares.ts';
import { beginRatios, openRequestsOf } from '../../../ledger/money/charge-ratios.ts';
import { selectUntouched } from '../../../ledger/money/over-budget.ts';
import { sending } from '../../../ledger/requests/charges.ts';
import { finishJob } from '../../../ledger/requests/job-end.ts';
import { settle } from '../../../ledger/requests/settle.ts';
import { intend } from '../../../ledger/requests/intents.ts';
import { earlierUnresolved, holderOfJob, otherUnresolved } from '../../../ledger/requests/unresolved.ts';
import { selectLastRow } from '../../../ledger/rows/last-rows.ts';
import { rowsWithIds } from '../../../ledger/rows/rows.ts';
import { selectPage } from '../../../ledger/rows/scans.ts';
import type { Db, Schema } from '../../../ledger/schema.ts';
import { openSqlite } from '../../../ledger/sqlite/dialect.ts';
import { aKey, fill, INTENT, open } from '../setup.ts';
import { freshFolder } from '../../support/fresh-folder.ts';

const KEY = aKey(1);

let path: string;

beforeEach(async () => {
  const folder = freshFolder();
  path = join(folder, 'ledger.db');
  const ledger = await open(folder);
  await fill(ledger, 2);
  for (const row of [1, 2]) await ledger.intend(aKey(row), INTENT);
  await ledger.settle(aKey(2), { verdict: 'accepted', jobId: 'other' }, { state: 'processing' });
  await ledger.close();
});

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
    createAdapter: () => Object.assign(new SqliteAdapter(), { jsonCast: '' }),
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

/** The first page of a scan after row 5, or after that time. */
const page = (db: Db, filter: Parameters<typeof selectPage>[2], endedAt = 0): Promise<unknown> =>
  selectPage(db, 'b', filter, { row: 5, endedAt }).execute();

it.each<[string, (db: Db) => Promise<unknown>]>([
  // Requests: on the wire, running, in doubt, by their jobs, and what those that are open may cost.
  ['INDEX charges_sending (batch=?)', (db) => sending(db, 'b')],
  ['INDEX charges_running (batch=?)', (db) => runningJobs(db, 'b')],
  ['INDEX charges_running (batch=?)', (db) => oldestRow(db, 'b')],
  ['INDEX charges_sending (batch=?)', (db) => readSnapshot(db, (tx) => selectOnWire(tx, [{ batch: 'b' }]))],
  ['INDEX charges_doubt', (db) => otherUnresolved(db, 'http://a', 'u', KEY, 0)],
  ['INDEX charges_doubt (batch=?', (db) => earlierUnresolved(db, 'b', 5)],
  ['INDEX charges_job (job_id=?', (db) => holderOfJob(db, 'http://a', 'u', 'speech', 'j')],
  ['INDEX charges_running (batch=?)', (db) => openRequestsOf(db, 'b')],
  ['INDEX charges_doubt (batch=?)', (db) => openRequestsOf(db, 'b')],
  ['INDEX charges_running (batch=?)', (db) => write(db, (tx) => beginRatios(tx, 'b'))],
  // Rows: untouched above a price, open, ended so, with a part that ended so, ended since, not chosen, left by the end of a process.
  ['INDEX rows_untouched (batch=? AND quoted>?)', (db) => selectUntouched(db, 'b', 1).execute()],
  ['INDEX rows_open (batch=? AND row>?)', (db) => readSnapshot(db, (tx) => idleRows(tx, 'b', { after: 5, max: 10 }))],
  ['INDEX rows_open (batch=? AND row>?)', (db) => page(db, { isOpen: true })],
  ['INDEX rows_outcome (batch=? AND outcome=? AND row>?)', (db) => page(db, { outcome: 'unknown', inParts: true })],
  ['INDEX rows_outcome (batch=? AND outcome=? AND row>?)', (db) => page(db, { outcome: 'unknown', onlyParts: true })],
  [
    'INDEX rows_outcome (batch=? AND outcome=? AND row>?)',
    (db) => page(db, { outcome: 'failed', class: 'OutcomeUnknown', inParts: true }),
  ],
  ['INDEX rows_ended (batch=? AND ended_at>?)', (db) => page(db, { endedSince: 5 })],
  ['INDEX rows_ended (batch=? AND ended_at>?)', (db) => recentEnds(db, 'b', 5)],
  ['INDEX rows_ended (batch=? AND ended_at>?)', (db) => selectEnded(db, { batch: 'b', since: 5 })],
  ['INDEX rows_not_chosen (batch=? AND outcome=? AND ended_at=? AND row>?)', (db) => page(db, { isNotChosen: true })],
  ['COVERING INDEX rows_not_chosen (batch=? AND outcome=? AND ended_at=?)', (db) => skippedQuotes(db, 'b')],
  ['INDEX rows_outcome (batch=? AND outcome=?)', (db) => countProcessEnds(db, 'b')],
  // Rows by their ids, and the last row of one; what the budget holds room for.
  ['batch=? AND id=?', (db) => rowsWithIds(db, 'b', ['r1', 'r2'])],
  ['INDEX rows_loaded (id=?)', (db) => selectLastRow(db, { apiUrl: 'http://a', account: 'u', id: 'r1' }).execute()],
  [
    'COVERING INDEX rows_free (batch=? AND state>? AND state<?)',
    (db) => selectFreeRows(db, { batch: 'b', state: 'waiting', limit: 10 }),
  ],
  ['COVERING INDEX rows_reserved (batch=? AND state=?)', (db) => selectReserved(db, { batch: 'b', limit: 10 })],
  // Counts and sums; what an intent, a verdict and the end of a job look at.
  ['INDEX sqlite_autoindex_row_counts_1 (batch=?)', (db) => counts(db, 'b')],
  ['INDEX sqlite_autoindex_sums_1 (batch=?)', (db) => money(db, 'b')],
  ['INDEX sqlite_autoindex_charges_1 (batch=? AND row=?)', (db) => intend(db, KEY, INTENT)],
  [
    'INDEX sqlite_autoindex_rows_1 (batch=? AND row=?)',
    (db) => settle(db, KEY, { verdict: 'accepted', jobId: 'j' }, { state: 'processing' }),
  ],
  ['INDEX sqlite_autoindex_charges_1 (batch=? AND row=?', (db) => finishJob(db, aKey(2), {}, { outcome: 'failed' })],
])('%s is what %s looks at, and no whole table', async (index, work) => {
  const plans = await plansOf(work);
  expect(plans.join('\n')).toContain(index);
  // A partial index that is walked through is small; a table is not.
  for (const plan of plans) expect(plan).not.toMatch(/SCAN (rows|charges|c|r)\b(?! USING)/);
});
