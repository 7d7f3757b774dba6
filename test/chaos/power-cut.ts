import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../support/wait-for.ts';
import { onDisk, type EmbeddedRun } from './embedded-run.ts';
import type { Finding } from './finding.ts';
import { readAttempts, readEnded } from './ledger-view.ts';
import type { ChaosOptions } from './options.ts';
import type { Doubt } from './perform.ts';
import { PowerDisk } from './power-disk.ts';
import { killAllIn, processesIn } from './processes-in.ts';
import { between, seeded } from './seeded.ts';
import { sortIntoWindows, submitsInFlight, WindowTable } from './windows.ts';

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
  const mount = (folder: string): Promise<PowerDisk | string> => PowerDisk.mount(folder);
  return onDisk(options, say, mount, async (embedded) => {
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
  { disk, run, judge, ledger }: EmbeddedRun<PowerDisk>,
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
