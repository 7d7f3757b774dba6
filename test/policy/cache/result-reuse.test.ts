import { expect, it } from '@jest/globals';
import { matchesCacheKey, mayReuse, type EarlierAttempt } from '../../../policy/cache/result-reuse.ts';

const FILE = { key: 'b/1.mp3' };
const NONE: EarlierAttempt = {
  ...{ step: 'speech', take: 1, attempt: 1, state: 'accepted' },
  ...{ file: null, failure: null, resultKey: 'key', source: null },
};

function may(attempts: readonly Partial<EarlierAttempt>[]): boolean {
  const all = attempts.map((one) => ({ ...NONE, ...one }));
  return mayReuse({ take: 2, kind: 'tts', redoFrom: null }, all, 'speech', 'key');
}

const gaveBack = { state: 'revoked', source: { is: 'used' } } as const;
it.each<[string, readonly Partial<EarlierAttempt>[], boolean]>([
  ['may if it was never tried', [], true],
  ['may if it failed', [{ failure: {} }, { state: 'rejected' }, { state: 'unknown' }, { state: 'not-accepted' }], true],
  ['may if its result was unfit', [{ file: FILE, failure: {} }], true],
  ['may if the row had a result of something else', [{ file: FILE, resultKey: 'other' }], true],
  ['may if the row had one of another step', [{ step: 'lip-sync', file: FILE }], true],
  // Who asks again for the same wants another.
  ...(['accepted', 'done', 'cached'] as const).flatMap((state): [string, Partial<EarlierAttempt>[], boolean][] => [
    [`may not if it was ${state} for the same`, [{ state, file: FILE }], false],
    [`may not if it was ${state} for nobody knows what`, [{ state, file: FILE, resultKey: null }], false],
  ]),
  ['may not if it gave one back at this take', [{ ...gaveBack, take: 2 }], false],
  ['may if it gave one back at another', [{ ...gaveBack, take: 1 }], true],
  ['may if it was revoked', [{ state: 'revoked' }], true],
])('a step %s have an earlier result', (_, attempts, expected) => expect(may(attempts)).toBe(expected));

it('a step that only checks the same file again may have it, unless a person asked for the check', () => {
  const had = [{ ...NONE, step: 'verification', state: 'done', file: FILE }] as const;
  expect(mayReuse({ take: 2, kind: 'tts', redoFrom: null }, had, 'verification', 'key')).toBe(true);
  expect(mayReuse({ take: 2, kind: 'tts', redoFrom: 'verification' }, had, 'verification', 'key')).toBe(false);
});

const kept = [{ file: FILE }, { take: 2, resultKey: 'other', file: FILE }];
it.each<[string, readonly Partial<EarlierAttempt>[], boolean, (number | null)?]>([
  ['is known by its key if the attempt that made it is', [{ file: FILE }], true],
  [
    'is known if the one that used it is',
    [
      { state: 'not-accepted', resultKey: null },
      { attempt: 2, state: 'cached', file: FILE },
    ],
    true,
  ],
  ['is not known if a person named its job', [{ file: FILE, resultKey: null }], false],
  ['is not known if it is of another key', [{ file: FILE }, { take: 2, resultKey: 'other' }], false],
  ['is not known where there is none', [{ step: 'lip-sync' }], false],
  ['is what the take made that its row went back to', kept, true, 1],
  ['is not what another made', kept, false, 2],
])('what a later step gets from an earlier one %s', (_, attempts, expected, acceptedTake = null) => {
  const all = attempts.map((one) => ({ ...NONE, ...one }));
  expect(matchesCacheKey({ acceptedTake }, all, 'speech', 'key')).toBe(expected);
});
