import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../support/wait-for.ts';
import type { Finding } from './finding.ts';
import { inWorld } from './judge-world.ts';
import { readAttempts } from './ledger-view.ts';
import type { ChaosOptions } from './options.ts';
import type { Doubt } from './perform.ts';
import { sortIntoWindows, submitsInFlight } from './windows.ts';

const LINK_LIFE_MS = 5_000;
const AWAY_MS = 60_000;

/**
 * Links live 5 s and the workers are away for 60 s in mid-batch: one is killed and started anew, the other stands still with links
 * in hand that die meanwhile. Every result must come whole all the same, by reading the job again, never by paying again.
 */
export async function deadLinks(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const { seed, rows } = options;
  const charges = 1.25 * rows;
  const rate = ['--rate', (charges / 40).toFixed(2)];
  const batches = [{ name: 'mixed', rows, kinds: ['tts', 'lip-sync', 'dub', 'stt'], flags: rate }];
  const simulator = { seed, linkLifeMs: LINK_LIFE_MS };
  return inWorld({ ...options, say, batches, simulator }, async (world) => {
    const { workers, judge, ledger } = world;
    const [killed, stopped] = workers;
    await waitFor(() => judge.charged >= 0.4 * charges, 300_000);
    const pids = [killed.pid, stopped.pid];
    const [hasLink] = await Promise.all([
      stopped.strikeAt('before-rename', 1, 'SIGSTOP', 30_000),
      killed.strikeAt('before-rename', 1, 'SIGKILL', 30_000),
    ]);
    await killed.kill();
    const from = Date.now();
    const before = await judge.ledger();
    const open = await readAttempts(ledger, 'open');
    const jobs = open.filter(({ state }) => state === 'accepted').length;
    say(`the workers are away: one killed, one stopped; ${jobs} accepted jobs are open`);
    await sleep(AWAY_MS);
    const paid = judge.charged - before.length;
    stopped.goOn();
    killed.start();
    say('the workers are back');
    const until = Date.now() + 2_000;
    const doubts = pids.map((pid, event): Doubt => {
      const inFlight = submitsInFlight(sortIntoWindows(open, before, pid));
      return { event, from, until, inFlight, ...(pid === undefined ? {} : { pid }) };
    });
    const findings: Finding[] = [
      { promise: 'a worker was stopped with a link in hand', broken: hasLink ? [] : ['it came to none'] },
      { promise: 'jobs ran whose links died', broken: jobs > 0 ? [] : ['there was none'], seen: `${jobs} jobs` },
      { promise: 'nothing is paid while the workers are away', broken: paid === 0 ? [] : [`${paid} charges`] },
    ];
    return { doubts, mostDoubtful: 0, findings };
  });
}
