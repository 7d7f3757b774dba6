import { describe, expect, it } from '@jest/globals';
import type { BatchRecord } from '../../../ledger/batches/batch-records.ts';
import type { Counts } from '../../../ledger/batches/counts.ts';
import { aBatch } from '../../ledger/setup.ts';
import { Pace, paceOf, timeLeft, type Moment, workSpan } from '../../../client/status/pace.ts';

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
    if (seen.at(-1)?.ended !== done) seen.push({ atMs: now, ended: done });
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
      { atMs: 0, ended: 0 },
      { atMs: 10_000, ended: 20 },
      { atMs: 20_000, ended: 79 },
    ];
    const open = { running: 40, waiting: 1_900, rate: null };
    expect(timeLeft(seen, 20_000, open)).toBeUndefined();
    expect(timeLeft([...seen, { atMs: 20_100, ended: 80 }], 20_100, open)).toBeDefined();
  });

  it('is never less than the rate of requests allows', () => {
    // Results that were there already.
    const seen = [
      { atMs: 0, ended: 0 },
      { atMs: 1_000, ended: 500 },
    ];
    expect(timeLeft(seen, 1_000, { running: 0, waiting: 100, rate: 5 })).toBe(20_000);
  });

  it('counts down while one row hangs, and is not known once it has run out', () => {
    const seen = [
      { atMs: 0, ended: 0 },
      { atMs: 15_000, ended: 3 },
    ];
    const at = (silentMs: number): number | undefined =>
      timeLeft(seen, 15_000 + silentMs, { running: 1, waiting: 0, rate: null });
    expect([0, 1_000, 4_000, 6_000, 44_000].map(at)).toEqual([5_000, 4_000, 1_000, undefined, undefined]);
  });

  it('is not known where rows have stopped ending: the first were refused, the others wait for jobs', () => {
    const seen = [
      { atMs: 0, ended: 0 },
      { atMs: 3_000, ended: 36 },
    ];
    const open = { running: 8, waiting: 956, rate: null };
    expect(timeLeft(seen, 3_100, open)).toBeDefined();
    expect(timeLeft(seen, 10_000, open)).toBeUndefined();
  });
});

describe('the time that is left, as it is said', () => {
  /** A batch whose rows run 64 at a time, for so long each, looked at each second; what is said then. */
  function say(runsMs: (row: number) => number): readonly (number | null)[] {
    const free = Array<number>(64).fill(0);
    const ends: number[] = [];
    for (let row = 0; row < 2_000; row++) {
      const slot = free.indexOf(Math.min(...free));
      ends.push((free[slot] = (free[slot] ?? 0) + runsMs(row)));
    }
    const last = Math.max(...ends);
    const pace = new Pace();
    const all: (number | null)[] = [];
    for (let now = 0; now < last - 20_000; now += 1_000) {
      const ended = ends.filter((at) => at <= now).length;
      const counts = countsOf({ ended, running: Math.min(64, 2_000 - ended), total: 2_000 });
      all.push(pace.update(now, RUNNING, counts).secondsLeft);
    }
    return all;
  }

  it.each([
    ['end together', (): number => 20_000],
    ['nearly end together', (row: number): number => 18_000 + ((row * 7_919) % 4_000)],
    ['end at any time', (row: number): number => 1_000 + ((row * 7_919) % 20_000)],
  ])('is steady where rows %s', (_, runsMs) => {
    const said = say(runsMs);
    const first = said.findIndex((left) => left !== null);
    expect(first).toBeLessThan(90);
    const jumps = said.slice(first).map((left, at) => {
      const before = said[first + at - 1];
      if (at === 0 || left === null || before === null || before === undefined) return left === null ? 1 : 0;
      return Math.abs(left - (before - 1)) / Math.max(before, 10);
    });
    expect(Math.max(...jumps)).toBeLessThan(0.15);
  });

  it('is not known of a batch that is paused, stopped or closed', () => {
    const seen = [{ atMs: 0, ended: 0 }, ...[1, 2, 3, 4].map((ended) => ({ atMs: ended * 1_000, ended }))];
    const counts = countsOf({ ended: 4, running: 1, total: 10 });
    const left = (change: object): unknown =>
      new Pace(seen).update(4_000, { ...RUNNING, ...change }, counts).secondsLeft;
    expect([{}, { control: 'paused' }, { control: 'stopping' }, { state: 'closed' }].map(left)).toEqual([
      expect.any(Number),
      ...[null, null, null],
    ]);
  });

  it('begins anew where rows were opened again', () => {
    const pace = new Pace([
      { atMs: 0, ended: 0 },
      { atMs: 10_000, ended: 100 },
    ]);
    const look = (ended: number): number =>
      pace.update(10_000, RUNNING, countsOf({ ended, running: 0, total: 200 })).rowsPerSecond;
    expect([look(100), look(50)]).toEqual([10, 0]);
  });
});

describe('the pace that one look finds', () => {
  const counts = countsOf({ ended: 200, running: 8, total: 440 });
  const look = (ends: { readonly rows: number; readonly firstAgo: number }, change: object = {}): unknown => {
    const { rows, firstAgo } = ends;
    const now = Date.now();
    const ledger = {
      recentEnds: () => Promise.resolve({ rows, first: now - firstAgo, last: now - 500 }),
      counts: () => Promise.resolve(counts),
    };
    return paceOf(ledger, { batch: { ...RUNNING, name: 'b', ...change } as BatchRecord, counts });
  };

  it('is that of the rows that ended in the last minute by the ledger', async () => {
    const pace = { rowsPerSecond: expect.closeTo(2, 0), secondsLeft: expect.closeTo(120, -1) };
    expect(await look({ rows: 120, firstAgo: 60_000 })).toEqual(pace);
  });

  it('is none where no row has ended lately, and of a batch that is over', async () => {
    const none = { rowsPerSecond: 0, secondsLeft: null };
    expect(await look({ rows: 0, firstAgo: 0 })).toEqual(none);
    expect(await look({ rows: 120, firstAgo: 60_000 }, { state: 'closed' })).toEqual(none);
  });

  it('begins with no more than a minute, whatever another clock says', async () => {
    const pace = { rowsPerSecond: expect.closeTo(2, 0), secondsLeft: expect.any(Number) };
    expect(await look({ rows: 120, firstAgo: 3_600_000 })).toEqual(pace);
  });
});

const RUNNING = { state: 'open', control: 'running', settings: aBatch().settings } as const;

function countsOf({
  ended,
  running,
  total,
}: {
  readonly ended: number;
  readonly running: number;
  readonly total: number;
}): Counts {
  const none = { cached: 0, failed: 0, unfit: 0, skipped: 0, unknown: 0, overdue: 0, cancelled: 0 };
  const idle = { blocked: 0, submitting: 0, fetching: 0, verifying: 0 };
  const states = { ...idle, processing: running, waiting: total - running - ended };
  return { total, notChosen: 0, notCached: 0, states, outcomes: { ...none, succeeded: ended } };
}

describe('how long a batch took', () => {
  it('counts from its first request', () => {
    expect(workSpan({ startedAt: null, reopenedAt: null })).toBeUndefined();
    expect(workSpan({ startedAt: 5, reopenedAt: null })).toEqual({ from: 5, first: 5, isReopened: false });
  });

  it('does not count the days between its end and a redrive', () => {
    expect(workSpan({ startedAt: 5, reopenedAt: 90 })).toEqual({ from: 90, first: 5, isReopened: true });
    // Opened again before anything was sent.
    expect(workSpan({ startedAt: 95, reopenedAt: 90 })).toEqual({ from: 95, first: 95, isReopened: false });
  });
});
