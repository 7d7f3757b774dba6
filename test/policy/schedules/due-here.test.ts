import { describe, expect, it } from '@jest/globals';
import { dueHere } from '../../../policy/schedules/due-here.ts';
import { judgeFiring, type AllowedFirings, type FiringRecords } from '../../../policy/schedules/legal-firing.ts';
import { specOf } from '../../support/schedule-on-record.ts';

const HOUR = 3_600_000;
const MADE = Date.UTC(2026, 10, 1);
/** Due each hour. */
const AT = Date.UTC(2026, 11, 1, 2);
const SPEC = specOf({ every: '1h', runs: 2 });

/** Paused a moment before `AT`, and resumed three hours later. */
const ALLOWED: readonly AllowedFirings[] = [
  { id: 3, kind: 'trigger', from: AT - HOUR, until: AT + HOUR, at: null, isVoid: false },
  { id: 2, kind: 'due', from: AT + 2.5 * HOUR, until: null, spec: SPEC },
  { id: 1, kind: 'due', from: MADE, until: AT - 1_000, spec: SPEC },
];
const RECORDS: FiringRecords = { spec: SPEC, settledAt: MADE, allowed: ALLOWED, occurrences: [] };

const isDue = dueHere(RECORDS);

describe('a time', () => {
  it('is due here while the schedule is not paused', () => {
    const hours = [-1, 0, 1, 2, 3, 4].filter((hour) => isDue(AT + hour * HOUR));
    expect(hours).toEqual([-1, 3, 4]);
    expect(isDue(AT + 3.5 * HOUR)).toBe(false);
  });

  it('right after a pause is not due, although a firing then is legal, for clocks', () => {
    expect(judgeFiring(AT, AT, RECORDS).type).toBe('legal');
    expect(isDue(AT)).toBe(false);
  });

  it('is not due once no run is left, as far as runs are counted', () => {
    const ended = [-2, -1].map((hour) => ({
      at: AT + hour * HOUR,
      state: 'ended' as const,
      endedAt: AT + hour * HOUR,
    }));
    const used = { ...RECORDS, occurrences: ended };
    expect([-3, 3].filter((hour) => dueHere(used)(AT + hour * HOUR))).toEqual([]);
    const later = { ...used, settledAt: AT - 2.5 * HOUR };
    expect([-3, 3].filter((hour) => dueHere(later)(AT + hour * HOUR))).toEqual([-3]);
    expect(dueHere({ ...RECORDS, occurrences: ended.slice(1) })(AT + 3 * HOUR)).toBe(true);
  });
});
