/**
 * Ledger cost per row: claims of 100 rows, then intent, verdict and end of a job for each, 32 at once, in a batch of
 * 10,000 and in one of 1,000,000 rows whose first nine tenths have ended. For comparison, the same writes by a bare
 * script, row by row, in the same groups. `npm run bench:ledger [-- ROWS-TO-WORK-ON [LARGE]]`; the database is in the
 * folder for temporary files.
 *
 * `-- --on postgres [ROWS]` compares a ledger in PostgreSQL with one in a file instead (`ledger/on-postgres.ts`), on a
 * server that it starts.
 */
import Database from 'libsql';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { AT_ONCE, workOnRows } from './ledger/work-on-rows.ts';
import { BATCH, prefill } from './prefill.ts';

const {
  values: { on },
  positionals: [first, second],
} = parseArgs({ options: { on: { type: 'string' } }, allowPositionals: true });
if (on !== undefined && on !== 'postgres') throw new Error('--on is postgres, or left out.');
const SIZES = [10_000, Number(second ?? 1_000_000)];
const work = Number(first ?? (on === undefined ? 3_000 : 1_500));
const LANE = { batch: BATCH, lane: 1, run: 'r', owner: 'w' };
const FILE = { key: 'b/1-speech-1.mp3', bytes: 20_000, sha256: 'ab'.repeat(32), extension: 'mp3' };

/** Cost of processing rows. CPU and statements are per row. */
interface Cost {
  readonly rowsPerSecond: number;
  readonly cpuMs: number;
  readonly statements: number;
}

let statements = 0;
countStatements();

const folder = await mkdtemp(join(tmpdir(), 'voxbatch-bench-ledger-'));
try {
  if (on === 'postgres') await (await import('./ledger/on-postgres.ts')).compareWithPostgres(folder, work);
  else await measureFile();
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Measures a small and a large batch in a SQLite file, and the bare script. */
async function measureFile(): Promise<void> {
  const costs: Cost[] = [];
  for (const size of SIZES) {
    const path = join(folder, `${size}.db`);
    // The first nine tenths have ended.
    await prefill(path, 'http://127.0.0.1', size, size - Math.max(size / 10, work + 600));
    const ledger = await openLedger(path);
    await measure(() => workOnRows(ledger, LANE, 500));
    const cost = await measure(() => workOnRows(ledger, LANE, work));
    await measureQueries(ledger, size);
    await ledger.close();
    costs.push(cost);
    print(`${size.toLocaleString('en')} rows`, cost);
  }
  print('bare script', await measure(() => bareScript(join(folder, 'bare.db'))));
  const [small, large] = costs;
  if (small !== undefined && large !== undefined) {
    console.log(`a row of ${SIZES[1]} costs ${(large.cpuMs / small.cpuMs).toFixed(2)} × the CPU of one of ${SIZES[0]}`);
  }
}

/** Makes the same changes to a single table, by prepared statements, {@link AT_ONCE} rows per transaction. */
async function bareScript(path: string): Promise<number> {
  const raw = new Database(path);
  raw.exec('pragma journal_mode = wal; pragma synchronous = full');
  raw.exec('create table rows (row integer primary key, state text, job text, file text)');
  const insert = raw.prepare('insert into rows values (?, ?, null, null)');
  const settle = raw.prepare('update rows set state = ?, job = ? where row = ?');
  const finish = raw.prepare('update rows set state = ?, file = ? where row = ?');
  const steps = [
    (row: number) => insert.run([row, 'sending']),
    (row: number) => settle.run(['accepted', `job-${row}`, row]),
    (row: number) => finish.run(['succeeded', JSON.stringify(FILE), row]),
  ];
  for (let from = 1; from <= work; from += AT_ONCE) {
    for (const step of steps) {
      raw.exec('begin immediate');
      for (let row = from; row < from + AT_ONCE; row += 1) step(row);
      raw.exec('commit');
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  raw.close();
  return work;
}

/** Measures the queries that following a batch makes, in ms per query. */
async function measureQueries(ledger: Ledger, size: number): Promise<void> {
  const asked: string[] = [];
  for (const name of ['counts', 'money', 'sending', 'closeBatch'] as const) {
    const begun = performance.now();
    for (let round = 0; round < 50; round += 1) await ledger[name](BATCH);
    asked.push(`${name} ${((performance.now() - begun) / 50).toFixed(2)}`);
  }
  console.log(`${size.toLocaleString('en')} rows, ms per query: ${asked.join(', ')}`);
}

async function measure(run: () => Promise<number>): Promise<Cost> {
  statements = 0;
  const before = process.cpuUsage();
  const begun = performance.now();
  const rows = await run();
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { rowsPerSecond: rows / seconds, cpuMs: (user + system) / 1000 / rows, statements: statements / rows };
}

function print(name: string, { rowsPerSecond, cpuMs, statements: n }: Cost): void {
  console.log(
    `${name.padEnd(16)} ${rowsPerSecond.toFixed(0).padStart(6)} rows/s  ${cpuMs.toFixed(3)} ms CPU a row  ${n.toFixed(1)} statements a row`,
  );
}

/** Counts every execution of a statement in this process. */
function countStatements(): void {
  const probe = new Database(':memory:');
  const prototype = Object.getPrototypeOf(probe.prepare('select 1')) as Record<
    'all' | 'run',
    (...given: unknown[]) => unknown
  >;
  for (const name of ['all', 'run'] as const) {
    const original = prototype[name];
    prototype[name] = function (...given: unknown[]) {
      statements += 1;
      return original.apply(this, given);
    };
  }
  probe.close();
}
