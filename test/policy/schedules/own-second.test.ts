import { describe, expect, it } from '@jest/globals';
import { waitForOwnSecond } from '../../../policy/schedules/own-second.ts';
import { specOf } from '../../support/schedule-on-record.ts';

const AT = Date.UTC(2026, 10, 25, 22, 42);

describe('a trigger', () => {
  it.each([
    ['waits for nothing in a second of its own', -10_440, 0],
    ['waits until a due second is over', 0, 1_000],
    ['waits until a due second is over', 999, 1],
    ['waits for a due second that comes before the server takes it', -440, 1_440],
    ['waits for nothing if the server takes it before the due second', -900.5, 0],
  ])('%s (%d ms)', (_, after, waitMs) => {
    for (const spec of [specOf({ every: '30s' }), specOf({ cron: '42 * * * *' })]) {
      expect(waitForOwnSecond(AT + after, spec)).toBe(waitMs);
    }
  });

  it('finds the second between due times that follow each other soon, and waits for none if there is no such', () => {
    for (const after of [0, 500, 1_400]) {
      const now = AT + after;
      expect((now + waitForOwnSecond(now, specOf({ every: '2s' }))) % 2_000).toBe(1_000);
    }
    expect(waitForOwnSecond(AT + 1_050, specOf({ every: '2s' }))).toBe(0);
    expect(waitForOwnSecond(AT, specOf({ every: '1s' }))).toBe(0);
  });
});
