import { describe, expect, it } from '@jest/globals';
import { timeLeft, type Moment } from '../../../starters/terminal/time-left.ts';

const TICK_MS = 500;

/** What is said each half second of a batch that sends so many requests a second, each row of which runs as long; and how long it truly lasts. */
function follow(rows: number, { rate, runsMs }: { readonly rate: number; readonly runsMs: number }): readonly Said[] {
  const endOf = (row: number): number => (row / rate) * 1_000 + runsMs;
  const totalMs = endOf(rows);
  const seen: Moment[] = [];
  const said: Said[] = [];
  for (let now = 0; now < totalMs; now += TICK_MS) {
    const sent = Math.min(rows, Math.floor((now / 1_000) * rate));
    const done = Math.max(0, Math.min(rows, Math.floor(((now - runsMs) / 1_000) * rate)));
    if (seen.at(-1)?.done !== done) seen.push({ atMs: now, done });
    const left = timeLeft(seen, now, { running: sent - done, waiting: rows - sent, rate });
    said.push({ share: now / totalMs, left, truth: totalMs - now });
  }
  return said;
}

interface Said {
  readonly share: number;
  readonly left: number | undefined;
  readonly truth: number;
}

describe('the time that is left', () => {
  it.each([
    ['2,000 rows at --rate 8', 2_000, { rate: 8, runsMs: 10_000 }],
    ['2,000 rows in 18 s', 2_000, { rate: 130, runsMs: 2_500 }],
    ['rows that run for long', 300, { rate: 5, runsMs: 60_000 }],
  ])('is about right, or not said: %s', (_, rows, pace) => {
    const all = follow(rows, pace);
    const said = all.filter((one) => one.left !== undefined);
    for (const { left = 0, truth, share } of said)
      expect({ share, ratio: left / truth < 2 }).toEqual({ share, ratio: true });
    // The second half, up to its last seconds, is not silent.
    const late = all.filter(({ share, truth }) => share > 0.75 && truth > 2_000);
    expect(late.filter(({ left }) => left === undefined)).toEqual([]);
    for (const { left = 0, truth } of late) expect(left / truth).toBeGreaterThan(0.5);
  });

  it('is not known before twice as many rows have ended as run', () => {
    const seen = [
      { atMs: 0, done: 0 },
      { atMs: 10_000, done: 20 },
      { atMs: 20_000, done: 79 },
    ];
    const open = { running: 40, waiting: 1_900, rate: null };
    expect(timeLeft(seen, 20_000, open)).toBeUndefined();
    expect(timeLeft([...seen, { atMs: 20_100, done: 80 }], 20_100, open)).toBeDefined();
  });

  it('is never less than the rate of requests allows', () => {
    // Results that were there already.
    const seen = [
      { atMs: 0, done: 0 },
      { atMs: 1_000, done: 500 },
    ];
    expect(timeLeft(seen, 1_000, { running: 0, waiting: 100, rate: 5 })).toBe(20_000);
  });

  it('counts down while one row hangs, and is not known once it has run out', () => {
    const seen = [
      { atMs: 0, done: 0 },
      { atMs: 15_000, done: 3 },
    ];
    const at = (silentMs: number): number | undefined =>
      timeLeft(seen, 15_000 + silentMs, { running: 1, waiting: 0, rate: null });
    expect([0, 1_000, 4_000, 6_000, 44_000].map(at)).toEqual([5_000, 4_000, 1_000, undefined, undefined]);
  });

  it('is not known where rows have stopped ending: the first were refused, the others wait for jobs', () => {
    const seen = [
      { atMs: 0, done: 0 },
      { atMs: 3_000, done: 36 },
    ];
    const open = { running: 8, waiting: 956, rate: null };
    expect(timeLeft(seen, 3_100, open)).toBeDefined();
    expect(timeLeft(seen, 10_000, open)).toBeUndefined();
  });
});
