import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, usageOf } from '../processes.ts';
import type { Seen } from '../scale/stand-in.ts';

/**
 * Arguments of the stand-in: it answers a create after 5 ms, a job takes 1 s, and its result has 5 s of speech (20 KB).
 */
const STAND_IN = ['5', '1000', '5'];
/** Time between two samples of a process, ms. As much of its end may be missed. */
const SAMPLE_EVERY_MS = 50;
/** How many samples are taken per search for child processes, which reads all of `/proc`. */
const SAMPLES_PER_SEARCH = 10;

/** The resources that a command used. */
export interface Cost {
  /** CPU time of the process, user and system, start included; and of its children (the Temporal server). */
  readonly cpuMs: number;
  readonly childCpuMs: number;
  /** Time from the start of the command to the first paid request, and all CPU time until then. */
  readonly startMs: number;
  readonly startCpuMs: number;
  /** Time from the first paid request to the last result, s. */
  readonly activeS: number;
  readonly peakMb: number;
}

/**
 * Runs a command of Node against a stand-in of the API, and measures it. Throws if a row was paid for twice, or has no
 * result.
 *
 * @param argsFor returns the arguments of Node for the API's URL
 */
export async function runContestant(
  argsFor: (apiUrl: string) => readonly string[],
  { cwd, rows, env }: { readonly cwd: string; readonly rows: number; readonly env: NodeJS.ProcessEnv },
): Promise<Cost> {
  const api = fork(new URL('../scale/stand-in.ts', import.meta.url), STAND_IN);
  try {
    const [port] = (await once(api, 'message')) as [number];
    const apiUrl = `http://127.0.0.1:${port}/api/open/v1`;
    const begun = Date.now();
    const child = spawn(process.execPath, argsFor(apiUrl), {
      cwd,
      env: { ...env, VOXBATCH_API_URL: apiUrl, VOXBATCH_API_TOKEN: 'bench' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let messages = '';
    child.stderr.on('data', (chunk: Buffer) => (messages = (messages + chunk.toString()).slice(-2_000)));
    let [cpuMs, peakMb, startCpuMs] = [0, 0, 0];
    const children = new Map<number, number>();
    let samples = 0;
    const sample = (): void => {
      const pid = child.pid ?? 0;
      const usage = usageOf(pid);
      // A process that has just ended reports no memory.
      [cpuMs, peakMb] = [Math.max(cpuMs, usage?.cpuMs ?? 0), Math.max(peakMb, usage?.peakMb ?? 0)];
      if (samples % SAMPLES_PER_SEARCH === 0)
        for (const one of childrenOf(pid)) children.set(one, children.get(one) ?? 0);
      samples += 1;
      for (const [one, before] of children) children.set(one, usageOf(one)?.cpuMs ?? before);
    };
    const childCpu = (): number => [...children.values()].reduce((sum, ms) => sum + ms, 0);
    api.once('message', () => {
      sample();
      startCpuMs = cpuMs + childCpu();
    });
    while (child.exitCode === null && child.signalCode === null) {
      sample();
      await sleep(SAMPLE_EVERY_MS);
    }
    api.send('report');
    const [seen] = (await once(api, 'message')) as [Seen];
    if (seen.created !== rows || seen.fetched < rows || child.exitCode !== 0)
      throw new Error(
        `Expected ${rows} jobs and results and exit code 0, got ${JSON.stringify(seen)} and ${child.exitCode}.\n${messages}`,
      );
    return {
      cpuMs,
      childCpuMs: childCpu(),
      peakMb,
      startCpuMs,
      startMs: seen.firstAt - begun,
      activeS: (seen.lastAt - seen.firstAt) / 1_000,
    };
  } finally {
    api.kill();
  }
}
