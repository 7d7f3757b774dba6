import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../test/postgres-server.mjs';
import { prefill } from '../prefill.ts';
import { childrenOf, usageOf } from '../processes.ts';
import { openLine } from './slow-line.ts';
import type { WorkDone, WorkOrder } from './worker.ts';

/** Rows of each process that are not measured. */
const WARM_UP = 400;
const ROUNDS = 3;
/** Round-trip time of the slow connection, ms. */
const SLOW_MS = 2.4;

/** Cost of processing rows. */
interface Cost {
  readonly rowsPerSecond: number;
  /** CPU of all processes that work, and of the database server, ms a row. */
  readonly clientMs: number;
  readonly serverMs: number;
  /** Round trips a row; undefined where none is counted. */
  readonly trips?: number;
}

/**
 * What is measured: how many processes work, on how many batches, over which connection. Default: one on one, local.
 */
interface Setup {
  readonly processes?: number;
  readonly batches?: number;
  /** Additional round-trip time, ms. Absent: a direct connection, whose round trips are not counted. */
  readonly tripMs?: number;
}

let ledgers = 0;

/**
 * Compares a ledger in PostgreSQL with one in a file: CPU, round trips and rows a second, on the same machine and in
 * the same run. The first two are the median of {@link ROUNDS} rounds. `rows`: for each process.
 */
export async function compareWithPostgres(folder: string, rows: number): Promise<void> {
  const server = await startPostgres();
  const mainPid = Number(readFileSync(join(server.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const onFile = (setup: Setup): Promise<Cost> =>
    measure(join(folder, `${String(++ledgers)}.db`), rows, setup, () => 0);
  const onServer = async (setup: Setup): Promise<Cost> => {
    const line = setup.tripMs === undefined ? undefined : await openLine(server.url, setup.tripMs);
    try {
      const place = `${line?.url ?? server.url}?schema=l${String(++ledgers)}`;
      return await measure(place, rows, setup, () => cpuOfTree(mainPid), line?.trips);
    } finally {
      line?.close();
    }
  };
  try {
    const [file, near] = await inTurns([() => onFile({}), () => onServer({})]);
    if (file === undefined || near === undefined) throw new Error('Expected figures.');
    print('SQLite', file, file);
    print('PostgreSQL', near, file);
    print('counted on a line of 0 ms', await onServer({ tripMs: 0 }), file);
    print(`line of ${String(SLOW_MS)} ms`, await onServer({ tripMs: SLOW_MS }), file);
    for (const processes of [1, 2, 4]) {
      for (const batches of processes === 1 ? [1] : [1, processes]) {
        const setup = { processes, batches };
        const name = `${String(processes)} processes, ${batches === 1 ? 'one batch' : 'a batch each'}`;
        print(`SQLite, ${name}`, await onFile(setup), file);
        print(`PostgreSQL, ${name}`, await onServer(setup), file);
      }
    }
  } finally {
    server.stop();
  }
}

/** Measures each alternately, several times. Returns the median of each by rows a second. */
async function inTurns(measures: readonly (() => Promise<Cost>)[]): Promise<readonly Cost[]> {
  const seen: Cost[][] = measures.map(() => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, one] of measures.entries()) seen[index]?.push(await one());
  return seen.flatMap(
    (costs) => costs.toSorted((one, other) => one.rowsPerSecond - other.rowsPerSecond)[Math.floor(ROUNDS / 2)] ?? [],
  );
}

/**
 * Lets processes work on a new ledger (`place`: its path or URL) until each has done its rows.
 *
 * @param cpuOfServer returns the CPU time that the database server has used so far, ms
 * @param trips returns the round trips so far
 */
async function measure(
  place: string,
  rows: number,
  { processes = 1, batches = 1 }: Setup,
  cpuOfServer: () => number,
  trips?: () => number,
): Promise<Cost> {
  const names = Array.from({ length: batches }, (_, at) => `batch-${String(at)}`);
  // A process works on complete claims, so it may do some more rows.
  const each = (rows + WARM_UP + 200) * Math.ceil(processes / batches);
  for (const name of names) await prefill(place, 'http://127.0.0.1', each, 0, name);
  const workers = Array.from({ length: processes }, (_, at) => {
    const batch = names[at % batches] ?? '';
    const order: WorkOrder = { place, batch, lane: at + 1, warmUp: WARM_UP, rows };
    return fork(new URL('worker.ts', import.meta.url), [JSON.stringify(order)]);
  });
  const fromAll = (): Promise<readonly unknown[]> =>
    Promise.all(workers.map(async (worker) => ((await once(worker, 'message')) as [unknown])[0]));
  try {
    await fromAll();
    const [serverBefore, tripsBefore, begun] = [cpuOfServer(), trips?.(), performance.now()];
    const working = fromAll();
    for (const worker of workers) worker.send('go');
    const done = (await working) as readonly WorkDone[];
    const seconds = (performance.now() - begun) / 1_000;
    const total = done.reduce((sum, one) => sum + one.rows, 0);
    const cost = {
      rowsPerSecond: total / seconds,
      clientMs: done.reduce((sum, one) => sum + one.cpuMs, 0) / total,
      serverMs: (cpuOfServer() - serverBefore) / total,
      ...(trips === undefined ? {} : { trips: (trips() - (tripsBefore ?? 0)) / total }),
    };
    const ended = Promise.all(workers.map((worker) => once(worker, 'exit')));
    for (const worker of workers) worker.send('end');
    await ended;
    return cost;
  } finally {
    for (const worker of workers) if (worker.exitCode === null) worker.kill('SIGKILL');
  }
}

/** Returns the CPU time that a process and its children have used so far, ms. */
function cpuOfTree(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + (usageOf(one)?.cpuMs ?? 0), 0);
}

function print(name: string, cost: Cost, file: Cost): void {
  const { rowsPerSecond, clientMs, serverMs, trips } = cost;
  const cpu = (clientMs + serverMs) / (file.clientMs + file.serverMs);
  console.log(
    [
      name.padEnd(40),
      `${rowsPerSecond.toFixed(0).padStart(5)} rows/s (${(rowsPerSecond / file.rowsPerSecond).toFixed(2)} × SQLite)`,
      `CPU a row ${clientMs.toFixed(2)} + ${serverMs.toFixed(2)} ms (${cpu.toFixed(2)} ×)`,
      ...(trips === undefined ? [] : [`at most ${trips.toFixed(2)} trips a row`]),
      `load ${(loadavg()[0] ?? 0).toFixed(1)}`,
    ].join('  '),
  );
}
