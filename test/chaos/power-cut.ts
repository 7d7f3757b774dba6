import { randomBytes } from 'node:crypto';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findServer } from '../../embedded/find-server.ts';
import { mixedManifest } from '../support/live-world.ts';
import { waitFor } from '../support/wait-for.ts';
import { atExit } from './at-exit.ts';
import { checkEnds, checkWorld } from './check-world.ts';
import type { Finding } from './finding.ts';
import { readAttempts, readEnded } from './ledger-view.ts';
import { Member } from './member.ts';
import type { ChaosOptions } from './options.ts';
import type { Doubt } from './perform.ts';
import { PowerDisk } from './power-disk.ts';
import { killAllIn, killIn, processesIn } from './processes-in.ts';
import { between, seeded } from './seeded.ts';
import { SimulatorJudge } from './simulator-judge.ts';
import { sortIntoWindows, submitsInFlight, WindowTable } from './windows.ts';

const BATCH = 'lines';
const CONFIG = { polling: { firstLookMs: 300, gapMs: 400 } };
/** Of the batch between two cuts, beside the start of its command: paid requests per second. */
const RATE = 12;

/** What all cuts of a run found. */
interface Cuts {
  readonly doubts: Doubt[];
  /** Rows that had ended when the power was cut, and had not, or otherwise, when it was back. */
  readonly undone: string[];
  readonly windows: WindowTable;
  /** Rows that were seen as ended before a cut, over all cuts. */
  reported: number;
  /** Cuts after which an unsynced file was gone, as after a real one. */
  lost: number;
}

/**
 * Power cuts: the whole state of an embedded batch lies on a disk whose power is cut at random moments, while the service goes on.
 * The same command is run again on what the disk then holds.
 */
export async function powerCut(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const { seed, times, dist } = options;
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'voxbatch-chaos-')));
  const disk = await PowerDisk.mount(folder);
  if (typeof disk === 'string') {
    await rm(folder, { recursive: true });
    say(`SKIPPED: a disk can only be mounted as root, with loop devices: ${disk}`);
    return [];
  }
  atExit(() => {
    killIn(folder);
  });
  const rows = Math.max(options.rows, times * 15);
  const token = `chaos-${randomBytes(12).toString('hex')}`;
  const simulator = { seed, token, createMs: [50, 300], jobMs: [400, 3_000] } satisfies Parameters<
    typeof SimulatorJudge.start
  >[0];
  const judge = await SimulatorJudge.start(simulator, (port) => `http://127.0.0.1:${port}`);
  const server = await findServer({ env: process.env, say });
  await writeFile(join(disk.path, 'voxbatch.config.json'), JSON.stringify(CONFIG));
  await writeFile(join(disk.path, `${BATCH}.csv`), mixedManifest(rows));
  // What the user brings lies there for long; only what voxbatch writes is to be tried.
  await disk.sync();
  const run = new Member({
    name: 'run',
    args: ['run', `${BATCH}.csv`, '--submits', String(options.submits), '--rate', String(RATE)],
    folder: disk.path,
    logs: folder,
    dist,
    isFinal: (code) => [0, 10, 13].includes(code),
    env: {
      ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], VOXBATCH_TEMPORAL_CLI: server.path },
      ...{ VOXBATCH_API_URL: judge.url, VOXBATCH_API_TOKEN: token },
    },
  });
  const cuts: Cuts = { doubts: [], undone: [], windows: new WindowTable(), reported: 0, lost: 0 };
  const chance = seeded(seed);
  let isWhole = false;
  try {
    for (let number = 1; number <= times; number++) {
      run.start();
      const wanted = Math.max(judge.charged + 1, (number * 1.25 * rows) / (times + 1));
      await waitFor(() => judge.charged >= wanted || run.finalCode !== undefined, 120_000);
      await sleep(between(chance, 0, 800));
      if (run.finalCode !== undefined) break;
      await cut(disk, run, judge, cuts, number, say);
    }
    run.start();
    await waitFor(() => run.finalCode !== undefined, options.minutes * 60_000).catch(() => undefined);
    for (const line of cuts.windows.lines()) say(`  ${line}`);
    const findings = [
      ...report(cuts, times, run),
      ...(await checkWorld({
        ...{ folder: disk.path, ledger: ledgerOf(disk), batches: [BATCH], dist, judge, token },
        ...{ doubts: cuts.doubts, mostDoubtful: 0 },
      })),
    ];
    isWhole = findings.every(({ broken }) => broken.length === 0);
    return findings;
  } finally {
    await run.close();
    await killAllIn(disk.path);
    await judge.close();
    if (isWhole && !options.keep) {
      await disk.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    } else say(`The folder is kept: ${folder} (unmount ${disk.path} before you delete it)`);
  }
}

/** Cuts the power at this very moment, and puts on what the disk then holds. */
async function cut(
  disk: PowerDisk,
  run: Member,
  judge: SimulatorJudge,
  cuts: Cuts,
  number: number,
  say: (line: string) => void,
): Promise<void> {
  const { pid } = run;
  const frozen = processesIn(disk.path);
  for (const one of frozen) process.kill(one.pid, 'SIGSTOP');
  const canary = `unsynced-${number}`;
  await disk.writeUnsynced(canary);
  await disk.copy();
  const from = Date.now();
  // What anybody could have seen until then; read after the copy, because a reader may write, too.
  const ended = await readEnded(ledgerOf(disk));
  const counts = sortIntoWindows(await readAttempts(ledgerOf(disk), 'open'), await judge.ledger());
  await run.kill();
  await killAllIn(disk.path);
  await disk.goOnWithCopy();

  const after = await readEnded(ledgerOf(disk));
  const undone = [...ended].filter(([row, outcome]) => after.get(row) !== outcome);
  cuts.undone.push(...undone.map(([row, was]) => `cut ${number}: ${row} was ${was}, is ${after.get(row) ?? 'open'}`));
  cuts.reported += ended.size;
  if (!(await disk.has(canary))) cuts.lost += 1;
  cuts.windows.add('power cut', counts);
  const doubt = { event: number, from, until: Infinity, inFlight: submitsInFlight(counts) };
  cuts.doubts.push(pid === undefined ? doubt : { ...doubt, pid });
  const told = [...counts].map(([window, count]) => `${count} ${window}`).join(', ');
  say(`cut ${number}: ${frozen.length} processes, ${ended.size} rows had ended; ${told}`);
}

function report(cuts: Cuts, times: number, run: Member): Finding[] {
  const { finalCode, ends } = run;
  return [
    {
      promise: 'the batch ends by itself',
      broken: finalCode === undefined ? ['it does not'] : [],
      seen: `exit ${String(finalCode)}`,
    },
    {
      promise: `the power was cut ${times} times`,
      broken: cuts.doubts.length === times ? [] : [`${cuts.doubts.length} times`],
    },
    {
      promise: 'each cut lost what was not synced (else it would prove nothing)',
      broken: cuts.lost === cuts.doubts.length ? [] : [`only ${cuts.lost} did`],
    },
    {
      promise: 'nothing that had been reported as done is undone',
      broken: cuts.undone,
      seen: `${cuts.reported} rows seen as ended, over all cuts`,
    },
    checkEnds(ends.map((end) => ({ name: 'run', ...end }))),
  ];
}

function ledgerOf(disk: PowerDisk): string {
  return join(disk.path, '.voxbatch', 'ledger.db');
}
