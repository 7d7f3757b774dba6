import { setTimeout as sleep } from 'node:timers/promises';
import { FAULT_POINTS, type FaultPoint } from '../../activities/fault-points.ts';
import { waitFor } from '../support/wait-for.ts';
import { nameOfStep } from './charged-step.ts';
import type { Finding } from './finding.ts';
import { inWorld } from './judge-world.ts';
import { isOwnedBy, readAttempts, readLaneHolders, type AttemptView } from './ledger-view.ts';
import type { Member } from './member.ts';
import type { ChaosOptions } from './options.ts';
import type { Doubt } from './perform.ts';
import { sortIntoWindows, submitsInFlight } from './windows.ts';
import type { World } from './world.ts';

/** Longer than the heartbeat time-out (10 s) and all that follows until others have the work, ms: 22 s in the worst case seen. */
const STILL_MS = 30_000;
/** A paid request lasts long, so that a worker has several on the wire when it is stopped. */
const CREATE_MS: [number, number] = [500, 2_000];
/** Time until a moment comes, ms. */
const MOMENT_MS = 30_000;
/** Some worker has a lane within this, ms. */
const LANE_MS = 60_000;
const LOOK_EVERY_MS = 500;

/**
 * Zombies: in every window a worker is stopped past its time-outs, its work is given to others, and it goes on as if nothing had
 * happened. It must not charge anything again.
 */
export async function zombie(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const { seed, rows } = options;
  const seconds = FAULT_POINTS.length * (STILL_MS / 1_000 + 6);
  const rate = ['--rate', ((1.25 * rows) / seconds).toFixed(2)];
  const batches = [{ name: 'mixed', rows, kinds: ['tts', 'stt', 'lip-sync', 'dub'], flags: rate }];
  return inWorld({ ...options, say, batches, simulator: { seed, createMs: CREATE_MS } }, async (world) => {
    const doubts: Doubt[] = [];
    const missed: string[] = [];
    let settled = 0;
    await waitFor(() => world.judge.charged > 0, 60_000);
    for (const [number, moment] of FAULT_POINTS.entries()) {
      const one = await rise(world, number, moment, say);
      if (one === undefined) missed.push(`no worker came to the moment ${moment}`);
      else doubts.push(one.doubt);
      settled += one?.settled ?? 0;
    }
    const findings: Finding[] = [
      { promise: 'a worker was stopped in every window', broken: missed },
      {
        promise: 'work was given to others while its worker stood still',
        broken: settled > 0 ? [] : ['none was'],
        seen: `${settled} attempts`,
      },
    ];
    return { doubts, mostDoubtful: 0, findings };
  });
}

/** Stops a worker at a moment, waits until others have its work, and lets it go on. */
async function rise(
  world: World,
  number: number,
  moment: FaultPoint,
  say: (line: string) => void,
): Promise<{ readonly doubt: Doubt; readonly settled: number } | undefined> {
  const worker = await whoWorks(world, number % 2 === 0 ? 0 : 1);
  const pid = worker?.pid;
  if (worker === undefined || pid === undefined) return undefined;
  if (!(await worker.strikeAt(moment, 2, 'SIGSTOP', MOMENT_MS))) return undefined;
  const from = Date.now() - 1_000;
  const before = await readAttempts(world.ledger, 'all');
  const counts = sortIntoWindows(await readAttempts(world.ledger, 'open'), await world.judge.ledger(), pid);
  await sleep(STILL_MS);
  const settled = settledBetween(before, await readAttempts(world.ledger, 'all'), pid);
  worker.goOn();
  await sleep(3_000);
  const told = [...counts].map(([window, count]) => `${count} ${window}`).join(', ');
  say(`stopped ${moment} (pid ${pid}): ${told}; settled by others meanwhile: ${settled}`);
  return { settled, doubt: { event: number, pid, from, until: Date.now(), inFlight: submitsInFlight(counts) } };
}

/** A worker that has a lane: this one if it has. */
async function whoWorks({ workers, ledger }: World, preferred: 0 | 1): Promise<Member | undefined> {
  const inOrder = preferred === 0 ? workers : workers.toReversed();
  const end = performance.now() + LANE_MS;
  while (performance.now() < end) {
    const holders = await readLaneHolders(ledger);
    const found = inOrder.find(({ pid }) => pid !== undefined && holders.has(pid));
    if (found !== undefined) return found;
    await sleep(LOOK_EVERY_MS);
  }
  return undefined;
}

/** Attempts of a process that others settled: their verdict was made, or their key was revoked, while it stood still. */
function settledBetween(before: readonly AttemptView[], after: readonly AttemptView[], pid: number): number {
  const now = new Map(after.map((attempt) => [`${nameOfStep(attempt)}/${attempt.attempt}`, attempt]));
  const known = new Set(before.map((attempt) => `${nameOfStep(attempt)}/${attempt.attempt}`));
  const judged = before.filter(
    (attempt) =>
      attempt.state === 'sending' &&
      isOwnedBy(attempt, pid) &&
      now.get(`${nameOfStep(attempt)}/${attempt.attempt}`)?.state !== 'sending',
  );
  const revoked = [...now].filter(([name, { state }]) => state === 'revoked' && !known.has(name));
  return judged.length + revoked.length;
}
