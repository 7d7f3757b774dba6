import { expect, it } from '@jest/globals';
import type { Instant } from '../../policy/pacing/send-deadline.ts';
import { followLedgerClock } from '../../activities/ledger-clock.ts';

/** A host whose clock goes wrong by so much, and a ledger whose answer takes so long. */
async function clockOf(wrongByMs: number, answerMs: number): Promise<{ readonly wall: number; readonly true: number }> {
  let time = 1_000_000;
  const own = { now: (): Instant => ({ wall: time + wrongByMs, host: time + wrongByMs, monotonic: time }) };
  const readClock = (): Promise<number> => {
    time += answerMs;
    const read = time;
    time += answerMs;
    return Promise.resolve(read);
  };
  const clock = await followLedgerClock({ readClock }, own);
  clock.stop();
  return { wall: clock.now().wall, true: time };
}

it('the clock of a worker is that of the ledger, on a host that is fast or slow', async () => {
  for (const wrongByMs of [10_000, -10_000, 200]) {
    const { wall, true: time } = await clockOf(wrongByMs, 3);
    expect(Math.abs(wall - time)).toBeLessThanOrEqual(3);
  }
});

it('it is the system clock, unchanged, where the difference says nothing', async () => {
  for (const [wrongByMs, answerMs] of [
    [5, 1],
    [300, 400],
  ] as const) {
    const { wall, true: time } = await clockOf(wrongByMs, answerMs);
    expect(wall).toBe(time + wrongByMs);
  }
});
