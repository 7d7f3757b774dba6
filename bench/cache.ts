/**
 * Look-ups in a large result cache: `npm run bench:cache [-- ENTRIES [ROWS]]`, by default 1,000,000 entries and 10,000
 * rows, half of them with a result. It computes the key of each row and looks it up in claims of 100, as a lane does,
 * and reports the time, and how much memory that took. The database is in the folder for temporary files.
 */
import Database from 'libsql';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stepKey } from '../batches/cache/result-keys.ts';
import type { RowSpec } from '../contract/row-kinds.ts';
import { openLedger } from '../ledger/open-ledger.ts';

const PER_CLAIM = 100;
const [entries = 1_000_000, rows = 10_000] = process.argv.slice(2).map(Number);
const REALM = { apiUrl: 'https://api.example/api/open/v1', account: 'u1', settings: { tts: 'job' } } as const;

function keyOf(row: number): string {
  const spec: RowSpec = {
    kind: 'tts',
    text: `This is line number ${String(row)} of a long night.`,
    voice: 'v',
    extra: {},
  };
  return stepKey(REALM, spec, 'speech') ?? '';
}

const folder = await mkdtemp(join(tmpdir(), 'voxbatch-bench-cache-'));
try {
  const path = join(folder, 'ledger.db');
  await (await openLedger(path)).close();
  fill(path);
  console.log(`${count(entries)} entries, ${String(Math.round((await stat(path)).size / 1e6))} MB`);
  const ledger = await openLedger(path);
  for (const round of [1, 2, 3]) {
    const before = process.memoryUsage().rss;
    const since = performance.now();
    let found = 0;
    for (let at = 0; at < rows; at += PER_CLAIM) {
      const keys = Array.from({ length: PER_CLAIM }, (_, index) => keyOf(rowAt(at + index)));
      found += (await ledger.findResults(keys)).length;
    }
    const seconds = ((performance.now() - since) / 1_000).toFixed(2);
    const grown = Math.round((process.memoryUsage().rss - before) / 1e6);
    console.log(
      `round ${String(round)}: ${count(rows)} rows in ${seconds} s, ${count(found)} found, ${String(grown)} MB more`,
    );
  }
  await ledger.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Rows from all over the cache; every other one is in it. */
function rowAt(index: number): number {
  const spread = Math.floor((index * entries) / rows);
  return index % 2 === 0 ? spread : entries + spread;
}

/** One entry per row, of batches of 10,000 rows. */
function fill(path: string): void {
  const raw = new Database(path);
  const file = { bytes: 20_000, sha256: 'ab'.repeat(32), extension: 'mp3' };
  const insert = raw.prepare(
    `insert into results (key, batch, row, step, take, attempt, file, job_id, credits, bytes, made_at, used_at)
     values (?, ?, ?, 'speech', 1, 1, ?, ?, 10, 20000, ?, ?)`,
  );
  raw.exec('begin');
  for (let row = 0; row < entries; row++) {
    const batch = `batch-${String(Math.floor(row / 10_000))}`;
    const key = `${batch}/${String(row)}-speech-1.mp3`;
    insert.run([keyOf(row), batch, row % 10_000, JSON.stringify({ key, ...file }), `job-${String(row)}`, row, row]);
  }
  raw.exec('commit');
  raw.close();
}

function count(value: number): string {
  return value.toLocaleString('en');
}
