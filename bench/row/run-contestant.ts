import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, usageOf } from '../processes.ts';
import type { Seen } from '../scale/stand-in.ts';

/** The work: the API answers a create after 5 ms and limits nothing, a job takes 1 s, and its result has 20 KB. */
const STAND_IN = ['5', '1000', '5'];
/** How often a process is looked at, ms: so much of its end may be missed. */
const LOOK_EVERY_MS = 50;
/** Its children are sought at every so many looks: that reads the whole of `/proc`. */
const LOOKS_A_SEARCH = 10;

/** What a contestant took. */
export interface Cost {
  /** CPU of the process, user and system, start included, and of those that it started (the Temporal server). */
  readonly cpuMs: number;
  readonly childCpuMs: number;
  /** From the start of the command to the first paid request, and all CPU until then. */
  readonly startMs: number;
  readonly startCpuMs: number;
  /** From the first paid request to the last result, s. */
  readonly activeS: number;
  readonly peakMb: number;
}

/**
 * Runs a command against an API of its own, and measures it. `argsFor`: the arguments of Node, given the API's URL.
 * Throws if a row was paid for twice, or has no result.
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
    let words = '';
    child.stderr.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-2_000)));
    let [cpuMs, peakMb, startCpuMs] = [0, 0, 0];
    const children = new Map<number, number>();
    let looks = 0;
    const look = (): void => {
      const pid = child.pid ?? 0;
      const usage = usageOf(pid);
      // A process that has just ended has no memory any more.
      [cpuMs, peakMb] = [Math.max(cpuMs, usage?.cpuMs ?? 0), Math.max(peakMb, usage?.peakMb ?? 0)];
      if (looks % LOOKS_A_SEARCH === 0) for (const one of childrenOf(pid)) children.set(one, children.get(one) ?? 0);
      looks += 1;
      for (const [one, before] of children) children.set(one, usageOf(one)?.cpuMs ?? before);
    };
    const childCpu = (): number => [...children.values()].reduce((sum, ms) => sum + ms, 0);
    api.once('message', () => {
      look();
      startCpuMs = cpuMs + childCpu();
    });
    while (child.exitCode === null && child.signalCode === null) {
      look();
      await sleep(LOOK_EVERY_MS);
    }
    api.send('what have you seen?');
    const [seen] = (await once(api, 'message')) as [Seen];
    if (seen.created !== rows || seen.fetched < rows || child.exitCode !== 0)
      throw new Error(
        `Expected ${rows} jobs and results and exit code 0, got ${JSON.stringify(seen)} and ${child.exitCode}.\n${words}`,
      );
    return {
      ...{ cpuMs, childCpuMs: childCpu(), peakMb, startCpuMs },
      startMs: seen.firstAt - begun,
      activeS: (seen.lastAt - seen.firstAt) / 1_000,
    };
  } finally {
    api.kill();
  }
}
