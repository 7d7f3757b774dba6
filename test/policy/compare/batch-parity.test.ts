import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ParityTally, type BatchParity, type PaidSide } from '../../../policy/compare/batch-parity.ts';
import { DEFAULT_TOLERANCES } from '../../../contract/tolerances.ts';
import { judgeParity } from '../../../policy/compare/judge-parity.ts';
import { compareRows, type Pair } from '../../../policy/compare/row-parity.ts';

const DONE: PaidSide = {
  outcome: 'succeeded',
  failure: null,
  extension: 'mp3',
  seconds: 10,
  words: null,
  requests: [{ step: 'speech', acceptedMs: 100, finishedMs: 2_000 }],
  credits: 5,
  isPaid: true,
  attempts: 1,
};
const UNPAID = { requests: [], credits: 0, isPaid: false } as const;
const FAILED: PaidSide = {
  ...DONE,
  ...UNPAID,
  outcome: 'failed',
  failure: 'BadRequest',
  extension: null,
  seconds: null,
};

function tally(pairs: readonly Pair<PaidSide>[]): BatchParity {
  const sums = new ParityTally();
  for (const pair of pairs) sums.add(pair, compareRows(pair, DEFAULT_TOLERANCES));
  return sums.sum();
}

describe('ParityTally', () => {
  it('adds up ends, errors, lengths, credits, requests and latency', () => {
    const slow = { ...DONE, requests: [{ step: 'speech', acceptedMs: 300, finishedMs: null }] } as const;
    const found = tally([
      [DONE, slow],
      [DONE, { ...FAILED, attempts: 2 }],
      [DONE, { ...DONE, ...UNPAID, outcome: 'cached', seconds: 20, attempts: 0 }],
      [DONE, { ...DONE, outcome: null }],
      [{ ...DONE, outcome: 'skipped' }, DONE],
    ]);
    expect(found.rows).toEqual({ compared: 3, differing: 2, notRun: 1, open: 1 });
    expect(found.outcomes).toContainEqual({ ended: ['succeeded', 'failed'], rows: 1 });
    expect(found.outcomes).toContainEqual({ ended: ['skipped', 'succeeded'], rows: 1 });
    expect(found.errors).toEqual([{ errorClass: 'BadRequest', rows: [0, 1] }]);
    expect(found.differences).toMatchObject({ outcome: 1, length: 1 });
    expect(found.length).toMatchObject({ rows: 2, seconds: [20, 30], change: { median: 0, p95: 0.5 } });
    expect(found.credits).toEqual({ rows: 1, sums: [5, 5] });
    expect(found.attempts).toEqual([3, 3]);
    const spread = (count: number, ms: number): object => ({ count, median: ms, p95: ms });
    const accepted = [spread(3, 100), spread(1, 300)];
    expect(found.latency).toEqual([{ step: 'speech', accepted, finished: [spread(3, 2_000), null] }]);
  });

  it('counts the words of transcripts', () => {
    const heard = (...words: readonly string[]): PaidSide => ({ ...DONE, extension: 'txt', seconds: null, words });
    const pairs = [heard('a', 'b'), heard('a', 'c', 'd')].map((other): Pair<PaidSide> => [heard('a', 'b'), other]);
    const found = tally(pairs);
    expect(found.words).toEqual({ rows: 2, equal: 1, different: 2, of: 5 });
  });
});

describe('judgeParity', () => {
  const judge = (pairs: readonly Pair<PaidSide>[], change = {}): string =>
    judgeParity(tally(pairs), { ...DEFAULT_TOLERANCES, ...change }).verdict;
  const same = (count: number): readonly Pair<PaidSide>[] => Array.from({ length: count }, () => [DONE, DONE]);

  it('allows the share of rows that may differ, and no more', () => {
    expect(judge([...same(99), [DONE, FAILED]])).toBe('parity');
    expect(judge([...same(98), [DONE, FAILED]])).toBe('differs');
    expect(judge([...same(99), [DONE, FAILED]], { rows: 0 })).toBe('differs');
    expect(judge([[DONE, FAILED]], { rows: Infinity })).toBe('parity');
  });

  it('compares the credits of rows that both paid for', () => {
    expect(judge([[DONE, { ...DONE, credits: 5.2 }]])).toBe('parity');
    expect(judge([[DONE, { ...DONE, credits: 5.5 }]])).toBe('differs');
    expect(judge([[DONE, { ...DONE, credits: 5.5 }]], { credits: Infinity })).toBe('parity');
    expect(judge([[DONE, { ...DONE, credits: 50, isPaid: false }]])).toBe('parity');
  });

  it('looks at latency only on demand, and minds only a slower one', () => {
    const slow = { ...DONE, requests: [{ step: 'speech', acceptedMs: 100, finishedMs: 5_000 }] } as const;
    expect(judge([[DONE, slow]])).toBe('parity');
    expect(judge([[DONE, slow]], { latency: 1 })).toBe('differs');
    expect(judge([[slow, DONE]], { latency: 1 })).toBe('parity');
    expect(judgeParity(tally([[DONE, slow]]), { ...DEFAULT_TOLERANCES, latency: 2 }).judgements).toContainEqual({
      of: { type: 'latency', step: 'speech', until: 'finished' },
      share: 1.5,
      tolerance: 2,
      isWithin: true,
    });
  });

  it('is unfinished while a row is open and nothing differs', () => {
    const open = { ...DONE, outcome: null };
    expect(judge([...same(1), [DONE, open]])).toBe('unfinished');
    expect(judge([FAILED, open].map((other) => [DONE, other]))).toBe('differs');
  });

  it('never finds a difference where none is allowed to matter, nor between a batch and itself', () => {
    const any = { length: Infinity, words: Infinity, rows: Infinity, credits: Infinity, latency: Infinity };
    const side = fc.constantFrom(DONE, FAILED, { ...DONE, seconds: 1, credits: 9 });
    fc.assert(
      fc.property(fc.array(fc.tuple(side, side)), (pairs) => {
        expect(judge(pairs, any)).toBe('parity');
        const itself = pairs.map(([one]): Pair<PaidSide> => [one, one]);
        expect(judge(itself, { rows: 0, credits: 0, latency: 0 })).toBe('parity');
      }),
    );
  });
});
