import { setTimeout as sleep } from 'node:timers/promises';
import { MOMENTS, type Moment } from '../../activities/dependencies.ts';
import { nameOfStep } from './charged-step.ts';
import type { Finding } from './finding.ts';
import { inWorld } from './judge-world.ts';
import { isOwnedBy, readAttempts, type AttemptView } from './ledger-view.ts';
import type { ChaosOptions } from './options.ts';
import type { Doubt } from './perform.ts';
import { sortIntoWindows, submitsInFlight } from './windows.ts';
import type { World } from './world.ts';

/** Longer than the heartbeat time-out (10 s) and all that follows until others have the work, ms. */
const STILL_MS = 22_000;
/** A paid request lasts long, so that a worker has several on the wire when it is stopped. */
const CREATE_MS: [number, number] = [500, 2_000];
/** Time until a moment comes, ms. */
const MOMENT_MS = 30_000;

/**
 * Zombies: in every window a worker is stopped past its time-outs, its work is given to others, and it goes on as if nothing had
 * happened. It must not charge anything again.
 */
export async function zombie(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const { seed, rows } = options;
  const seconds = MOMENTS.length * (STILL_MS / 1_000 + 6);
  const rate = ['--rate', ((1.25 * rows) / seconds).toFixed(2)];
  const batches = [{ name: 'mixed', rows, kinds: ['tts', 'stt', 'lip-sync', 'dub'], flags: rate }];
  return inWorld({ ...options, say, batches, simulator: { seed, createMs: CREATE_MS } }, async (world) => {
    const doubts: Doubt[] = [];
    const missed: string[] = [];
    let settled = 0;
    for (const [number, moment] of MOMENTS.entries()) {
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
  moment: Moment,
  say: (line: string) => void,
): Promise<{ readonly doubt: Doubt; readonly settled: number } | undefined> {
  const worker = world.workers[number % 2 === 0 ? 0 : 1];
  const { pid } = worker;
  if (pid === undefined || !(await worker.strikeAt(moment, 2, 'SIGSTOP', MOMENT_MS))) return undefined;
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
