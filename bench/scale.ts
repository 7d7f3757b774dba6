/**
 * Cost of a row as its batch progresses, and as the batch grows: `npm run bench:scale [-- ROWS [LARGE]]`, by default
 * 30,000 and 1,000,000. A real worker (`voxbatch up`) works against a stand-in whose jobs take 50 ms: first a whole
 * batch of ROWS, with a line for each 10,000; then the last 10,000 of a batch of 20,000 and of one of LARGE rows. It
 * measures CPU, not time, because the machine may have other work. Linux.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { BATCH, prefill } from './prefill.ts';
import { childrenOf, usageOf, type Usage } from './processes.ts';

const CLI = resolve(import.meta.dirname, '..', 'dist', 'starters', 'cli.js');
const STEP = 10_000;
/** First rows, which are not measured: they load modules, open connections and run uncompiled code. */
const WARM_UP = 1_000;
/** The worker counts as stuck after this long without a new result, ms. */
const STUCK_MS = 120_000;
const [whole = 30_000, large = 1_000_000] = process.argv.slice(2).map(Number);

/** A sample of the worker and of the Temporal server that it started, after a number of rows. */
interface Sample {
  readonly rows: number;
  readonly worker: Usage;
  readonly server: Usage;
  readonly ledgerMb: number;
  readonly temporalMb: number;
  /** Duration of one query for counts and sums, ms. */
  readonly countsMs: number;
}

const api = fork(new URL('./scale/stand-in.ts', import.meta.url));
try {
  const [port] = (await once(api, 'message')) as [number];
  const apiUrl = `http://127.0.0.1:${String(port)}/api/open/v1`;
  const steps = await workOn({ apiUrl, rows: whole, ended: 0 });
  printRatio(`the last ${String(STEP)} rows of ${String(whole)} by the first`, steps[0], steps.at(-1));
  const [few] = await workOn({ apiUrl, rows: 2 * STEP, ended: STEP });
  const [many] = await workOn({ apiUrl, rows: large, ended: large - STEP });
  printRatio(`the last ${String(STEP)} rows of ${String(large)} by those of ${String(2 * STEP)}`, few, many);
} finally {
  api.kill();
}

/** Cost of a row: CPU times in ms, and the worker's peak memory. */
interface Cost {
  readonly workerMs: number;
  readonly serverMs: number;
  readonly peakMb: number;
}

/** Lets a worker process the rest of a batch. Returns the cost of a row in each {@link STEP} rows. */
async function workOn(batch: { apiUrl: string; rows: number; ended: number }): Promise<readonly Cost[]> {
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-scale-'));
  const home = join(folder, 'home');
  const env = { ...process.env, VOXBATCH_HOME: home, VOXBATCH_API_URL: batch.apiUrl, VOXBATCH_API_TOKEN: 'bench' };
  try {
    await mkdir(home);
    await prefill(join(home, 'ledger.db'), batch.apiUrl, batch.rows, batch.ended);
    const ledger = await openLedger(join(home, 'ledger.db'));
    console.log(`\n${count(batch.rows)} rows, ${count(batch.ended)} of them ended before`);
    console.log(await statusCost(folder, env));
    const worker = spawn(process.execPath, [CLI, 'up'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
    try {
      return await follow(ledger, worker, home, batch);
    } finally {
      await ledger.close();
      await end(worker);
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Samples a worker until its batch has ended. Prints and returns the cost of a row in each {@link STEP} rows. */
async function follow(
  ledger: Ledger,
  worker: ChildProcess,
  home: string,
  { rows, ended }: { readonly rows: number; readonly ended: number },
): Promise<readonly Cost[]> {
  const costs: Cost[] = [];
  let last = await untilEnded(ledger, worker, home, ended + WARM_UP);
  for (let goal = ended + STEP; goal <= rows; goal += STEP) {
    // Without the last few rows, which do not keep the worker busy.
    const sample = await untilEnded(ledger, worker, home, goal === rows ? goal - WARM_UP / 10 : goal);
    const done = sample.rows - last.rows;
    const cost = {
      workerMs: (sample.worker.cpuMs - last.worker.cpuMs) / done,
      serverMs: (sample.server.cpuMs - last.server.cpuMs) / done,
      peakMb: sample.worker.peakMb,
    };
    console.log(
      `${count(sample.rows).padStart(9)} ended: worker ${cost.workerMs.toFixed(2)} ms CPU a row, server ${cost.serverMs.toFixed(2)}; ` +
        `worker ${sample.worker.residentMb.toFixed(0)} MB (peak ${cost.peakMb.toFixed(0)}), server ${sample.server.residentMb.toFixed(0)} MB; ` +
        `ledger ${sample.ledgerMb.toFixed(0)} MB, Temporal's database ${sample.temporalMb.toFixed(1)} MB; counts in ${sample.countsMs.toFixed(2)} ms`,
    );
    costs.push(cost);
    last = sample;
  }
  return costs;
}

/** Waits until this many rows have ended, and takes a sample. */
async function untilEnded(ledger: Ledger, worker: ChildProcess, home: string, goal: number): Promise<Sample> {
  let [seen, seenAt] = [0, performance.now()];
  for (;;) {
    const begun = performance.now();
    const { outcomes } = await ledger.counts(BATCH);
    await ledger.money(BATCH);
    const countsMs = performance.now() - begun;
    const rows = Object.values(outcomes).reduce((sum, n) => sum + n, 0);
    if (rows > seen) [seen, seenAt] = [rows, performance.now()];
    const isStuck = worker.exitCode !== null || performance.now() - seenAt > STUCK_MS;
    if (isStuck) throw new Error(`The worker stands still or has ended, with ${String(rows)} rows ended.`);
    if (rows >= goal) {
      if (outcomes.succeeded < rows) throw new Error(`Some rows did not succeed: ${JSON.stringify(outcomes)}`);
      const pid = worker.pid ?? 0;
      const [own, servers] = [usageOf(pid), childrenOf(pid).flatMap((child) => usageOf(child) ?? [])];
      if (own === undefined || servers[0] === undefined) throw new Error('The worker or its server is gone.');
      const [ledgerMb, temporalMb] = [await sizeOf(home, 'ledger.db'), await sizeOf(home, 'temporal.db')];
      return { rows, worker: own, server: servers[0], ledgerMb, temporalMb, countsMs };
    }
    await sleep(50);
  }
}

/** Measures `voxbatch status`. Returns a line to print. */
async function statusCost(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [CLI, 'status', BATCH], { cwd: folder, env, stdio: 'ignore' });
  let [cpuMs, peakMb] = [0, 0];
  while (child.exitCode === null) {
    const usage = usageOf(child.pid ?? 0);
    // A process that has just ended reports no memory.
    [cpuMs, peakMb] = [Math.max(cpuMs, usage?.cpuMs ?? 0), Math.max(peakMb, usage?.peakMb ?? 0)];
    await sleep(5);
  }
  return `          status: ${cpuMs.toFixed(0)} ms CPU, peak ${peakMb.toFixed(0)} MB`;
}

/** Stops the worker gracefully, so that its Temporal server ends, too. */
async function end(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null) return;
  worker.kill('SIGTERM');
  await once(worker, 'exit');
}

/** Returns the size of a database with its write-ahead log, MB. */
async function sizeOf(home: string, name: string): Promise<number> {
  let bytes = 0;
  for (const file of [name, `${name}-wal`]) bytes += (await stat(join(home, file)).catch(() => ({ size: 0 }))).size;
  return bytes / 1024 ** 2;
}

function printRatio(what: string, first: Cost | undefined, last: Cost | undefined): void {
  if (first === undefined || last === undefined) return;
  const [cpu, memory] = [last.workerMs / first.workerMs, last.peakMb / first.peakMb];
  console.log(`${what}: CPU of the worker × ${cpu.toFixed(2)}, its peak × ${memory.toFixed(2)}`);
}

function count(rows: number): string {
  return rows.toLocaleString('en');
}
