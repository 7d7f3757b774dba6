import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { orderOf } from './charged-step.ts';
import type { Finding } from './finding.ts';
import { inFolder, type FolderRequest } from './in-folder.ts';
import { runToEnd, type RunEnd } from './killed-run.ts';
import type { ChaosOptions } from './options.ts';
import { killAllIn } from './processes-in.ts';
import { seeded, type Chance } from './seeded.ts';
import type { SimulatorJudge } from './simulator-judge.ts';

const AUDIO = 'https://media.example/line.mp3?seconds=2';

/** The commands for single jobs: their arguments for a job of this number, and what the simulator is then asked for. */
const COMMANDS = {
  say: (n: number) => ({ args: [`Line ${String(n)}.`, '--voice', 'narrator'], order: `Line ${String(n)}.` }),
  transcribe: (n: number) => ({ args: [`${AUDIO}&of=${String(n)}`], order: `${AUDIO}&of=${String(n)}` }),
  'lip-sync': (n: number) => {
    const face = `https://media.example/face.mp4?of=${String(n)}`;
    return { args: [face, AUDIO], order: face };
  },
} as const;
type CommandName = keyof typeof COMMANDS;

/** A job that was killed, and how it stood in the end. */
interface KilledJob {
  readonly name: string;
  /** Paid requests that the simulator had taken for it: at the kill, and once the command had ended by itself. */
  readonly chargedAtKill: number;
  readonly charged: number;
  /** False: the command was over before its kill. */
  readonly isKilled: boolean;
  readonly end: RunEnd;
  /** Of one that ended in doubt, with --resubmit. */
  readonly resent?: { readonly end: RunEnd; readonly charged: number };
}

/** How often a command is called again until it ends by itself. */
const MOST_CALLS = 5;
const IN_DOUBT = 13;

/**
 * Each command for a single job is killed at so many random moments, half of the time with its server, and called again with
 * the same arguments. In the end each job was charged once; or it is in doubt, was charged at most once, says so, and is sent
 * again only when that is asked for.
 */
export async function single(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const { kills, seed } = options;
  const simulation = {
    credits: 10_000_000,
    createMs: [50, 500],
    jobMs: [200, 1_500],
  } satisfies FolderRequest['simulation'];
  return inFolder({ options, say, simulation }, async ({ folder, judge, env }) => {
    const names = Object.keys(COMMANDS) as CommandName[];
    const attacks = names.map(async (command, at) => {
      const home = join(folder, command);
      await mkdir(home);
      await writeFile(
        join(home, 'voxbatch.config.json'),
        JSON.stringify({ polling: { firstLookMs: 200, gapMs: 200 } }),
      );
      return attack({ command, kills, home, env, judge, say, dist: options.dist, chance: seeded(seed + at) });
    });
    const jobs = (await Promise.all(attacks)).flat();
    return check(jobs, kills * names.length);
  });
}

interface Attack {
  readonly command: CommandName;
  readonly kills: number;
  /** Where the command runs. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly judge: SimulatorJudge;
  readonly dist: string;
  readonly chance: Chance;
  readonly say: (line: string) => void;
}

/** Kills a command so many times, each time for another job. */
async function attack({ command, kills, home, env, judge, dist, chance, say }: Attack): Promise<readonly KilledJob[]> {
  const jobs: KilledJob[] = [];
  const run = (n: number, more: readonly string[] = [], killAfterMs?: number): ReturnType<typeof runToEnd> =>
    runToEnd({
      dist,
      folder: home,
      env,
      args: [command, ...COMMANDS[command](n).args, '--json', ...more],
      killAfterMs,
    });
  const chargesOf = async (n: number): Promise<number> => {
    const charges = await judge.ledger();
    return charges.filter((charge) => orderOf(charge).endsWith(` ${COMMANDS[command](n).order}`)).length;
  };
  // One that is left alone tells how long the moments are spread.
  let whole = (await run(0)).tookMs;
  for (let n = 1; n <= kills; n++) {
    const killed = await run(n, [], chance() * whole);
    if (chance() < 0.5) await killAllIn(home);
    const chargedAtKill = await chargesOf(n);
    let end = await run(n);
    for (let calls = 2; calls < MOST_CALLS && end.code !== 0 && end.code !== IN_DOUBT; calls++) end = await run(n);
    whole = (3 * whole + end.tookMs) / 4;
    const charged = await chargesOf(n);
    const isKilled = killed.signal === 'SIGKILL';
    const job: KilledJob = { name: `${command} ${String(n)}`, chargedAtKill, charged, isKilled, end };
    const again = end.code === IN_DOUBT ? await run(n, ['--resubmit', '--yes']) : undefined;
    jobs.push(again === undefined ? job : { ...job, resent: { end: again, charged: await chargesOf(n) } });
    if (n % 10 === 0) say(`${command}: ${String(n)} of ${String(kills)}`);
  }
  return jobs;
}

async function check(jobs: readonly KilledJob[], wanted: number): Promise<Finding[]> {
  const doubtful = jobs.filter(({ end }) => end.code === IN_DOUBT);
  const paid = jobs.filter(({ charged }) => charged === 1).length;
  const killed = jobs.filter(({ isKilled }) => isKilled);
  const uncharged = killed.filter(({ chargedAtKill }) => chargedAtKill === 0).length;
  return [
    {
      promise: `each job is asked for until it ends by itself (${String(wanted)} jobs)`,
      broken: jobs
        .filter(({ end }) => end.code !== 0 && end.code !== IN_DOUBT)
        .map(({ name, end }) => `${name}: exit ${String(end.code)}: ${end.stderr}`),
      seen: `${String(killed.length)} killed, ${String(uncharged)} of them before they were charged`,
    },
    {
      promise: 'no job is charged twice, and each that has a result is charged once',
      broken: jobs
        .filter(({ end, charged }) => charged > 1 || (end.code === 0 && charged !== 1))
        .map(({ name, charged, end }) => `${name}: ${String(charged)} charges, exit ${String(end.code)}`),
      seen: `${String(paid)} charged once, ${String(jobs.length - paid)} not at all`,
    },
    {
      promise: 'each result is there',
      broken: await withoutResult(jobs.filter(({ end }) => end.code === 0)),
    },
    {
      promise: 'a lost answer is in doubt, says what to do, and is sent again once when that is asked for',
      broken: doubtful
        .filter(
          ({ end, charged, resent }) =>
            !end.stderr.includes('--resubmit') || resent?.end.code !== 0 || resent.charged !== charged + 1,
        )
        .map(({ name, charged, resent }) => `${name}: ${String(charged)} charges, then ${JSON.stringify(resent)}`),
      seen: `${String(doubtful.length)} in doubt, of which ${String(doubtful.filter(({ charged }) => charged === 1).length)} were charged`,
    },
  ];
}

async function withoutResult(jobs: readonly KilledJob[]): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const { name, end } of jobs) {
    const { file, text } = JSON.parse(end.stdout) as { readonly file: string | null; readonly text: string | null };
    const isThere = file === null ? text !== null && text !== '' : (await sizeOf(join(end.folder, file))) > 0;
    if (!isThere) missing.push(`${name}: ${end.stdout}`);
  }
  return missing;
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
