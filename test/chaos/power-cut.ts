import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../support/wait-for.ts';
import type { Finding } from './finding.ts';
import { readAttempts, readEnded } from './ledger-view.ts';
import type { ChaosOptions } from './options.ts';
import type { Doubt } from './perform.ts';
import { PowerDisk } from './power-disk.ts';
import { killAllIn, processesIn } from '../support/processes-in.ts';
import { between, seeded } from './seeded.ts';
import { sortIntoWindows, submitsInFlight, WindowTable } from './windows.ts';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mixedManifest } from '../support/mixed-manifest.ts';
import { checkEnds, checkWorld } from './check-world.ts';
import { makeFolder, openFolder } from './in-folder.ts';
import { COMPLETE, Member } from './member.ts';
import type { SimulatorJudge } from './simulator-judge.ts';

const BATCH = 'lines';
const CONFIG = { polling: { firstLookMs: 300, gapMs: 400 } };
/** Paid requests per second: so that a batch is long beside the start of its command. */
const RATE = 12;
/** So many that the batch is still at work for the last event, however slow this machine is with the others. */
const ROWS_AN_EVENT = 30;

/** One `voxbatch run` with an embedded server, all of whose state lies on one disk; and the service, which does not. */
interface EmbeddedRun {
  readonly disk: PowerDisk;
  readonly judge: SimulatorJudge;
  readonly run: Member;
  /** Path of the ledger. */
  readonly ledger: string;
  /** Charges at which a batch of `times` events should meet the one of this number. */
  readonly chargesAt: (number: number) => number;
}

/**
 * Runs a batch of all kinds on a disk of its own, lets a scenario do its worst to that, starts the command once more if it is down, waits until
 * the batch ends, and checks every promise. The folder is kept if one is broken. Skipped where this user may not mount.
 */
async function onDisk(
  options: ChaosOptions,
  say: (line: string) => void,
  scenario: (
    embedded: EmbeddedRun,
  ) => Promise<{ readonly doubts: readonly Doubt[]; readonly findings: readonly Finding[] }>,
): Promise<Finding[]> {
  const { dist, times, minutes } = options;
  const folder = await makeFolder();
  const disk = await PowerDisk.mount(folder);
  if (typeof disk === 'string') {
    await rm(folder, { recursive: true });
    say(`SKIPPED: a disk can only be mounted as root: ${disk}`);
    return [];
  }
  const { judge, token, env } = await openFolder(disk.path, say, {
    seed: options.seed,
    createMs: [50, 300],
    jobMs: [400, 3_000],
  });
  const rows = Math.max(options.rows, times * ROWS_AN_EVENT);
  await writeFile(join(disk.path, 'voxbatch.config.json'), JSON.stringify(CONFIG));
  await writeFile(join(disk.path, `${BATCH}.csv`), mixedManifest(rows));
  const run = new Member({
    name: 'run',
    args: ['run', `${BATCH}.csv`, '--submits', String(options.submits), '--rate', String(RATE)],
    ...{ folder: disk.path, logs: folder, dist, env },
    isFinal: (code) => COMPLETE.includes(code),
  });
  const ledger = join(disk.path, '.voxbatch', 'ledger.db');
  // Rows in doubt make fewer charges than planned; the last event must come all the same, before the batch ends.
  const chargesAt = (number: number): number => Math.max(judge.charged + 1, (number * 1.25 * rows) / (times + 2));
  let isWhole = false;
  try {
    const { doubts, findings: own } = await scenario({ disk, judge, run, ledger, chargesAt });
    run.start();
    await waitFor(() => run.finalCode !== undefined, minutes * 60_000).catch(() => undefined);
    const { finalCode, ends } = run;
    const findings = [
      ...own,
      {
        promise: 'the batch ends by itself',
        broken: finalCode === undefined ? ['it does not'] : [],
        seen: `exit ${String(finalCode)}`,
      },
      checkEnds(ends.map((end) => ({ name: 'run', ...end }))),
      ...(await checkWorld({
        ...{
          folder: disk.path,
          folders: [disk.path],
          ledger,
          batches: [BATCH],
          dist,
          judge,
          token,
          doubts,
          mostDoubtful: 0,
        },
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
export function powerCut(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const { seed, times } = options;
  return onDisk(options, say, async (embedded) => {
    const { disk, judge, run, chargesAt } = embedded;
    // What the user brings lies there for long; only what voxbatch writes is to be tried.
    await disk.sync();
    const cuts: Cuts = { doubts: [], undone: [], windows: new WindowTable(), reported: 0, lost: 0 };
    const chance = seeded(seed);
    for (let number = 1; number <= times; number++) {
      run.start();
      const wanted = chargesAt(number);
      await waitFor(() => judge.charged >= wanted || run.finalCode !== undefined, 120_000);
      await sleep(between(chance, 0, 800));
      if (run.finalCode !== undefined) break;
      await cut(embedded, cuts, number, say);
    }
    for (const line of cuts.windows.lines()) say(`  ${line}`);
    return { doubts: cuts.doubts, findings: report(cuts, times) };
  });
}

/** Cuts the power at this very moment, and puts on what the disk then holds. */
async function cut(
  { disk, run, judge, ledger }: EmbeddedRun,
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
  const ended = await readEnded(ledger);
  const counts = sortIntoWindows(await readAttempts(ledger, 'open'), await judge.ledger());
  await run.kill();
  await killAllIn(disk.path);
  await disk.goOnWithCopy();

  const after = await readEnded(ledger);
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

function report(cuts: Cuts, times: number): Finding[] {
  return [
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
  ];
}
