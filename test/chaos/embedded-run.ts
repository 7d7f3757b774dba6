import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mixedManifest } from '../support/mixed-manifest.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkEnds, checkWorld } from './check-world.ts';
import type { Finding } from './finding.ts';
import { makeFolder, openFolder } from './in-folder.ts';
import { COMPLETE, Member } from './member.ts';
import type { ChaosOptions } from './options.ts';
import type { Doubt } from './perform.ts';
import { killAllIn } from './processes-in.ts';
import type { SimulatorJudge } from './simulator-judge.ts';

const BATCH = 'lines';
const CONFIG = { polling: { firstLookMs: 300, gapMs: 400 } };
/** Paid requests per second: so that a batch is long beside the start of its command. */
const RATE = 12;
/** So many that the batch is still at work for the last event, however slow this machine is with the others. */
const ROWS_AN_EVENT = 30;

/** A disk to try things on. */
interface TriedDisk {
  readonly path: string;
  close(): Promise<void>;
}

/** One `voxbatch run` with an embedded server, all of whose state lies on one disk; and the service, which does not. */
export interface EmbeddedRun<Disk extends TriedDisk> {
  readonly disk: Disk;
  readonly judge: SimulatorJudge;
  readonly run: Member;
  /** Path of the ledger. */
  readonly ledger: string;
  /** Charges at which a batch of `times` events should meet the one of this number. */
  readonly chargesAt: (number: number) => number;
}

/** What a scenario did to the disk. */
export interface DiskCourse {
  readonly doubts: readonly Doubt[];
  readonly findings: readonly Finding[];
}

/**
 * Runs a batch of all kinds on a disk, lets a scenario do its worst to that, starts the command once more if it is down, waits until
 * the batch ends, and checks every promise. The folder is kept if one is broken. Skipped where this user may not mount.
 */
export async function onDisk<Disk extends TriedDisk>(
  options: ChaosOptions,
  say: (line: string) => void,
  mount: (folder: string) => Promise<Disk | string>,
  scenario: (embedded: EmbeddedRun<Disk>) => Promise<DiskCourse>,
): Promise<Finding[]> {
  const { dist, times, minutes } = options;
  const folder = await makeFolder();
  const disk = await mount(folder);
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
        ...{ folder: disk.path, ledger, batches: [BATCH], dist, judge, token, doubts, mostDoubtful: 0 },
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
