import { describe, expect, it } from '@jest/globals';
import { isKnownBy, mayReuse, type EarlierAttempt } from '../../../policy/cache/result-reuse.ts';

const FILE = { key: 'b/1.mp3' };
const NONE: EarlierAttempt = {
  step: 'speech',
  take: 1,
  attempt: 1,
  state: 'accepted',
  file: null,
  failure: null,
  resultKey: 'key',
  source: null,
};

const may = (attempts: readonly Partial<EarlierAttempt>[], take = 2): boolean =>
  mayReuse(
    { take, kind: 'tts', redoFrom: null },
    attempts.map((one) => ({ ...NONE, ...one })),
    'speech',
    'key',
  );

describe('a step may have an earlier result', () => {
  it('if it was never tried, or failed, or its result was unfit', () => {
    expect(may([])).toBe(true);
    expect(may([{ failure: {} }, { state: 'rejected' }, { state: 'unknown' }, { state: 'not-accepted' }])).toBe(true);
    expect(may([{ file: FILE, failure: {} }])).toBe(true);
  });

  it('if it only checks the same file again, unless a person asked for the check', () => {
    const had = [{ ...NONE, step: 'verification', state: 'done', file: FILE }] as const;
    expect(mayReuse({ take: 2, kind: 'tts', redoFrom: null }, had, 'verification', 'key')).toBe(true);
    expect(mayReuse({ take: 2, kind: 'tts', redoFrom: 'verification' }, had, 'verification', 'key')).toBe(false);
  });

  it('if the row had a result of something else, or of another step', () => {
    expect(may([{ file: FILE, resultKey: 'other' }])).toBe(true);
    expect(may([{ step: 'lip-sync', file: FILE }])).toBe(true);
  });

  it.each(['accepted', 'done', 'cached'] as const)(
    'but not if it was %s for the same: who asks wants another',
    (state) => {
      expect(may([{ state, file: FILE }])).toBe(false);
      expect(may([{ state, file: FILE, resultKey: null }])).toBe(false);
    },
  );

  it('and not again at the same take, if it gave one back', () => {
    const gaveBack = { state: 'revoked', source: { is: 'used' } } as const;
    expect(may([{ ...gaveBack, take: 2 }])).toBe(false);
    expect(may([{ ...gaveBack, take: 1 }])).toBe(true);
    expect(may([{ state: 'revoked' }])).toBe(true);
  });
});

describe('what a later step gets from an earlier one', () => {
  const known = (...attempts: readonly Partial<EarlierAttempt>[]): boolean => knownAt(null, ...attempts);
  const knownAt = (acceptedTake: number | null, ...attempts: readonly Partial<EarlierAttempt>[]): boolean =>
    isKnownBy(
      { acceptedTake },
      attempts.map((one) => ({ ...NONE, ...one })),
      'speech',
      'key',
    );

  it('is known by its key if the attempt that made it, or used it, is', () => {
    expect(known({ file: FILE })).toBe(true);
    expect(known({ state: 'not-accepted', resultKey: null }, { attempt: 2, state: 'cached', file: FILE })).toBe(true);
  });

  it('is not if a person named its job, it is of another key, or there is none', () => {
    expect(known({ file: FILE, resultKey: null })).toBe(false);
    expect(known({ file: FILE }, { take: 2, resultKey: 'other' })).toBe(false);
    expect(known({ step: 'lip-sync' })).toBe(false);
  });

  it('is what the take made that its row went back to', () => {
    const attempts = [{ file: FILE }, { take: 2, resultKey: 'other', file: FILE }];
    expect(knownAt(1, ...attempts)).toBe(true);
    expect(knownAt(2, ...attempts)).toBe(false);
  });
});
