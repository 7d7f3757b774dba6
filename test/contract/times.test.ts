import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatDuration, parseDuration } from '../../contract/times.ts';

describe('a duration', () => {
  it.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['1h30m', 5_400_000],
    ['1d', 86_400_000],
    ['2w', 1_209_600_000],
    [' 1d12h ', 129_600_000],
  ])('%s is %d ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(['', '0', '0s', '1', '1.5h', '30m1h', '1h1h', '-1h', '1y', '1 h', '9999999999999w'])(
    'is not "%s"',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it('is written as it is read', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (seconds) => {
        expect(parseDuration(formatDuration(seconds * 1_000))).toBe(seconds * 1_000);
      }),
    );
    expect(formatDuration(0)).toBe('0s');
  });
});
