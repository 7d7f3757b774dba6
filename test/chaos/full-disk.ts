import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { waitFor } from '../support/wait-for.ts';
import { onDisk, type EmbeddedRun } from './embedded-run.ts';
import type { Finding } from './finding.ts';
import { readAttempts } from './ledger-view.ts';
import type { ChaosOptions } from './options.ts';
import type { Doubt } from './perform.ts';
import { between, seeded } from './seeded.ts';
import { sortIntoWindows, submitsInFlight, WindowTable } from './windows.ts';

const DISK_BYTES = 192 * 1024 * 1024;
/** How long the disk stays full, ms: shorter and longer than an answer is kept for it, and than a command takes to end. */
const FULL_MS = [500, 20_000] as const;
/** A paid request follows within this after there is room again, ms; the command may have to start first. */
const BACK_MS = 90_000;

/**
 * The disk under the whole state of an embedded batch becomes full at random moments, and has room again some time later. The command
 * ends with its message and is started again, as a person would, until it gets through.
 */
export function fullDisk(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const { seed, times } = options;
  const mount = async (folder: string): Promise<SmallDisk | string> =>
    (await mountSmallDisk(join(folder, 'disk'), DISK_BYTES)) ?? 'mount is refused';
  return onDisk(options, say, mount, async (embedded) => {
    const { judge, run, chargesAt } = embedded;
    const doubts: Doubt[] = [];
    const windows = new WindowTable();
    const stuck: string[] = [];
    const chance = seeded(seed);
    run.start();
    for (let number = 1; number <= times && stuck.length === 0; number++) {
      const wanted = chargesAt(number);
      await waitFor(() => judge.charged >= wanted || run.finalCode !== undefined, BACK_MS).catch(() => {
        stuck.push(`before time ${number}`);
      });
      await sleep(between(chance, 0, 800));
      if (run.finalCode !== undefined) break;
      doubts.push(await fillFor(embedded, between(chance, ...FULL_MS), windows, number, say));
    }
    for (const line of windows.lines()) say(`  ${line}`);
    const findings = [
      { promise: `with room again, the next paid request comes within ${BACK_MS / 1_000} s`, broken: stuck },
      {
        promise: `the disk was full ${times} times`,
        broken: doubts.length === times ? [] : [`${doubts.length} times`],
      },
    ];
    return { doubts, findings };
  });
}

/** Fills the disk at this very moment, and empties it after a while. */
async function fillFor(
  { disk, judge, ledger, run }: EmbeddedRun<SmallDisk>,
  fullMs: number,
  windows: WindowTable,
  number: number,
  say: (line: string) => void,
): Promise<Doubt> {
  const counts = sortIntoWindows(await readAttempts(ledger, 'open'), await judge.ledger());
  const [from, ended, charged] = [Date.now(), run.ends.length, judge.charged];
  await disk.fill();
  await sleep(fullMs);
  const [paid, ends] = [judge.charged - charged, run.ends.length - ended];
  await disk.empty();
  windows.add('full disk', counts);
  const told = [...counts].map(([window, count]) => `${count} ${window}`).join(', ');
  say(`${number}: full for ${(fullMs / 1_000).toFixed(1)} s, ${paid} charges, ${ends} commands ended; ${told}`);
  // An answer that came meanwhile is written again twice a second.
  return { event: number, from, until: Date.now() + 1_000, inFlight: submitsInFlight(counts) };
}
