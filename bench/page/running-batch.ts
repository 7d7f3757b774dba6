import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { findServer } from '../../embedded/find-server.ts';
import { openBrowser } from '../chromium.ts';
import { inFreshFolder, type FreshFolder } from '../fresh-folder.ts';
import { median } from '../median.ts';
import { usageOf } from '../processes.ts';
import { runContestant } from '../row/run-contestant.ts';

const ROUNDS = 3;
const ROWS = 3_000;
const POLL_MS = 500;

/**
 * Measures what a browser tab that follows a running batch costs: the CPU time of the run with and without a tab,
 * alternately, and that of `voxbatch page`. Prints the medians. `cli`: path of the compiled command line.
 */
export async function measureRunningBatch(cli: string): Promise<void> {
  env['VOXBATCH_TEMPORAL_CLI'] = (await findServer({ env, say: console.error })).path;
  const [alone, followed, page]: [number[], number[], number[]] = [[], [], []];
  for (let at = 0; at < ROUNDS; at += 1) {
    alone.push((await runBatch(cli, false)).runMs);
    const { runMs, pageMs } = await runBatch(cli, true);
    followed.push(runMs);
    page.push(pageMs);
  }
  const [before, after, own] = [median(alone), median(followed), median(page)];
  console.log(
    `A batch of ${ROWS.toLocaleString('en')} rows: ${(before / ROWS).toFixed(2)} ms of CPU a row alone, ${(after / ROWS).toFixed(2)} ms with a tab; ` +
      `the page's command took ${own.toFixed(0)} ms in all. Alone: ${alone.join(', ')} ms; with a tab: ${followed.join(', ')} ms`,
  );
}

/** Runs a batch in a fresh folder. Returns CPU times, ms. */
function runBatch(cli: string, hasTab: boolean): Promise<{ readonly runMs: number; readonly pageMs: number }> {
  const textOf = (at: number): string => `Hello, this is line ${String(at)}.`;
  return inFreshFolder({ rows: ROWS, pollMs: POLL_MS, textOf }, async (place) => {
    const ending = new AbortController();
    const following = hasTab ? follow(cli, place, ending.signal) : undefined;
    const args = ['run', 'rows.csv', '--out', 'results', '--yes', '--window', '1000', '--submits', '32'];
    const { cpuMs } = await runContestant(() => [cli, ...args], place);
    ending.abort();
    return { runMs: cpuMs, pageMs: (await following) ?? 0 };
  });
}

/**
 * Opens the page in a browser as soon as the batch is recorded, until the signal aborts. Returns the CPU time of
 * `voxbatch page`, ms.
 */
async function follow(cli: string, { cwd, env: own }: FreshFolder, signal: AbortSignal): Promise<number> {
  while (!existsSync(join(own.VOXBATCH_HOME, 'ledger.db'))) await sleep(20);
  const browser = await openBrowser();
  try {
    for (;;) {
      const child = spawn(process.execPath, [cli, 'page', 'rows'], {
        cwd,
        env: own,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const printed = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => undefined)]);
      // The batch is not on record yet.
      if (printed === undefined) continue;
      await (await browser.newPage()).goto(String(printed[0]).trim());
      if (!signal.aborted) await once(signal, 'abort');
      const { cpuMs } = usageOf(child.pid ?? 0) ?? { cpuMs: 0 };
      child.kill('SIGINT');
      await once(child, 'exit');
      return cpuMs;
    }
  } finally {
    await browser.close();
  }
}
