/**
 * The cost of a row compared with a script: `npm run bench:row [-- ROWS]`, by default 2,000. voxbatch and
 * `row/script.mjs` process the same rows against the same stand-in of the API, alternately. The ratios are comparable
 * between machines, the figures are not. The last line goes into docs/benchmarks-history.md. Linux.
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { env } from 'node:process';
import { findServer } from '../embedded/find-server.ts';
import { inFreshFolder } from './fresh-folder.ts';
import { median } from './median.ts';
import { runContestant, type Cost } from './row/run-contestant.ts';

const CLI = resolve(import.meta.dirname, '..', 'dist', 'starters', 'cli.js');
const SCRIPT = resolve(import.meta.dirname, 'row', 'script.mjs');
/** Max rows in progress. */
const WINDOW = '1000';
const POLL_MS = 500;
const MAX_ROUNDS = 3;
/** No round starts unless it will probably end within this time, ms. */
const LIMIT_MS = 55_000;
const rows = Number(process.argv[2] ?? 2_000);

env['VOXBATCH_TEMPORAL_CLI'] = (await findServer({ env, say: console.error })).path;
const costs: { readonly ours: Cost; readonly script: Cost }[] = [];
const begun = performance.now();
do {
  const round = { ours: await measure(voxbatch), script: await measure(script) };
  costs.push(round);
  console.log(`voxbatch ${describe(round.ours)}\nscript   ${describe(round.script)}`);
} while (costs.length < MAX_ROUNDS && ((performance.now() - begun) / costs.length) * (costs.length + 1) < LIMIT_MS);
console.log(`\n${historyLine()}`);

/** Arguments of Node for voxbatch. */
function voxbatch(): readonly string[] {
  return [CLI, 'run', 'rows.csv', '--out', 'results', '--yes', '--window', WINDOW, '--submits', '32'];
}

/** Arguments of Node for the script. */
function script(apiUrl: string): readonly string[] {
  return [SCRIPT, 'rows.csv', apiUrl, 'results', WINDOW, String(POLL_MS)];
}

/** Measures one run in a fresh folder. */
function measure(argsFor: Parameters<typeof runContestant>[0]): Promise<Cost> {
  return inFreshFolder(
    { rows, pollMs: POLL_MS, textOf: (at) => `Hello, this is line ${at}; it says a few words.` },
    (place) => runContestant(argsFor, place),
  );
}

/** Describes a cost. */
function describe({ cpuMs, childCpuMs, startMs, startCpuMs, activeS, peakMb }: Cost): string {
  return (
    `${(rows / activeS).toFixed(0)} rows/s, ${(cpuMs / rows).toFixed(2)} + ${(childCpuMs / rows).toFixed(2)} ms CPU a row; ` +
    `first request after ${(startMs / 1_000).toFixed(1)} s and ${(startCpuMs / 1_000).toFixed(1)} s CPU; peak ${peakMb.toFixed(0)} MB`
  );
}

/** Returns a line for the history: medians of the ratios, and of voxbatch's own figures. */
function historyLine(): string {
  const speed = median(costs.map(({ ours, script }) => script.activeS / ours.activeS));
  const cpu = median(costs.map(({ ours, script }) => ours.cpuMs / script.cpuMs));
  const own = (read: (cost: Cost) => number): number => median(costs.map(({ ours }) => read(ours)));
  const cells = [
    new Date().toISOString().slice(0, 10),
    commit(),
    process.versions.node,
    rows.toLocaleString('en'),
    `${speed.toFixed(2)} × script`,
    `${cpu.toFixed(2)} × script`,
    `${own(({ cpuMs }) => cpuMs / rows).toFixed(2)} + ${own(({ childCpuMs }) => childCpuMs / rows).toFixed(2)} ms`,
    `${own(({ startMs }) => startMs / 1_000).toFixed(1)} s, ${own(({ startCpuMs }) => startCpuMs / 1_000).toFixed(1)} s CPU`,
    `${own(({ peakMb }) => peakMb).toFixed(0)} MB`,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Returns the commit that is checked out; empty without git. */
function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty=+'], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}
