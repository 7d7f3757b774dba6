import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readRetryAfter } from '../../api/retry-after.ts';

const NOW = Date.UTC(2024, 4, 1, 12, 0, 0);

/** An answer with these headers, and no others. */
function answered(retryAfter: string | undefined, date?: string): Parameters<typeof readRetryAfter>[0] {
  const headers = new Map([
    ['retry-after', retryAfter],
    ['date', date],
  ]);
  return { header: (name) => headers.get(name), json: undefined };
}

describe('readRetryAfter', () => {
  it.each([
    ['0', 0],
    ['7', 7_000],
    [' 1.5 ', 1_500],
    ['99999999999', 86_400_000],
    ['Wed, 01 May 2024 12:00:30 GMT', 30_000],
    ['Wednesday, 01-May-24 12:00:30 GMT', 30_000],
    ['Wed May  1 12:00:30 2024', 30_000],
    ['Wed, 01 May 2024 11:00:00 GMT', 0],
    ['Fri, 01 May 2026 11:00:00 GMT', 86_400_000],
  ])('reads %j', (value, ms) => expect(readRetryAfter(answered(value), NOW)).toBe(ms));

  it('takes a date relative to the clock of the server', () => {
    const answer = answered('Wed, 01 May 2024 15:00:10 GMT', 'Wed, 01 May 2024 15:00:00 GMT');
    expect(readRetryAfter(answer, NOW)).toBe(10_000);
  });

  it.each([undefined, '', 'soon', '-5', '1e9', '2024-05-01', 'NaN', '10 seconds', 'Sun, 99 Foo 2024 99:99:99 GMT'])(
    'makes nothing of %j',
    (value) => {
      expect(readRetryAfter(answered(value), NOW)).toBeUndefined();
    },
  );

  it('never gives a figure that a timer could not take', () => {
    fc.assert(
      fc.property(fc.string(), fc.option(fc.string(), { nil: undefined }), (value, date) => {
        const ms = readRetryAfter(answered(value, date), NOW);
        expect(ms === undefined || (ms >= 0 && ms <= 86_400_000)).toBe(true);
      }),
    );
  });
});
