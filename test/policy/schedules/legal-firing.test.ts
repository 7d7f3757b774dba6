import { describe, expect, it } from '@jest/globals';
import {
  type AllowedFirings,
  type FiringRecords,
  dueHere,
  firingLookBack,
  judgeFiring,
  runsLeft,
  spanOfTrigger,
  whyTooLate,
} from '../../../policy/schedules/legal-firing.ts';
import type { WrittenSpec } from '../../../policy/schedules/schedule-spec.ts';
import { specOf } from '../../support/schedule-on-record.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Made a month before. */
const MADE = Date.UTC(2026, 10, 1);
/** Due. */
const AT = Date.UTC(2026, 11, 1, 2);

/** A schedule that fires each hour, with these allowances beside that of its due times. */
function recordsOf(
  change: Partial<FiringRecords> = {},
  written: WrittenSpec = {},
  more: readonly AllowedFirings[] = [],
): FiringRecords {
  const spec = specOf({ every: '1h', ...written });
  const due: AllowedFirings = { id: 1, kind: 'due', from: MADE, until: null, spec };
  return { spec, settledAt: MADE, allowed: [due, ...more], occurrences: [], ...change };
}

const typeOf = (at: number, now: number, records = recordsOf()): string => judgeFiring(at, now, records).type;

describe('a firing at a due time', () => {
  it.each([
    ['a time at which the schedule is not due', AT + 60_000, AT + 60_000],
    ['the future', AT + HOUR, AT],
    ['a time before the schedule was made', MADE - DAY, MADE + HOUR],
  ])('is illegal for %s', (_, at, now) => {
    expect(judgeFiring(at, now, recordsOf())).toMatchObject({ type: 'illegal' });
  });

  it('is legal by its nominal time, which may be before the schedule was made, by its jitter', () => {
    const spec = specOf({ every: '1h', jitter: '30m' });
    const allowed: readonly AllowedFirings[] = [{ id: 1, kind: 'due', from: AT + 600_000, until: null, spec }];
    expect(typeOf(AT, AT + 900_000, recordsOf({ spec, allowed, settledAt: AT + 600_000 }))).toBe('legal');
  });

  it('is illegal after the end of the schedule, and after its runs', () => {
    expect(typeOf(AT, AT, recordsOf({}, { until: '2026-12-01T01:30:00Z' }))).toBe('illegal');
    const ended = [1, 2].map((hours) => ({ at: AT - hours * HOUR, state: 'ended' as const, endedAt: AT - HOUR + 1 }));
    expect(typeOf(AT, AT, recordsOf({ occurrences: ended }, { runs: 3 }))).toBe('legal');
    expect(typeOf(AT, AT, recordsOf({ occurrences: ended }, { runs: 2 }))).toBe('illegal');
    expect(runsLeft(recordsOf({ occurrences: ended }, { runs: 3 }))).toBe(1);
    expect(runsLeft(recordsOf({ occurrences: ended }))).toBeNull();
    // Those that were asked for by hand, that were skipped, or came before the runs were counted take none.
    const skipped = { at: AT - 3 * HOUR, state: 'skipped' as const, endedAt: null };
    const trigger: AllowedFirings = {
      id: 2,
      kind: 'trigger',
      ...spanOfTrigger(AT - HOUR),
      at: AT - HOUR,
      isVoid: false,
    };
    expect(runsLeft(recordsOf({ occurrences: [...ended, skipped] }, { runs: 2 }, [trigger]))).toBe(1);
    expect(runsLeft(recordsOf({ occurrences: ended, settledAt: AT - HOUR }, { runs: 2 }))).toBe(2);
  });

  it('is illegal for a time at which the schedule was paused, and legal for what was due before', () => {
    const spec = specOf({ every: '1h' });
    const allowed: readonly AllowedFirings[] = [
      { id: 2, kind: 'due', from: AT + 5 * HOUR, until: null, spec },
      { id: 1, kind: 'due', from: MADE, until: AT + HOUR / 2, spec },
    ];
    const now = AT + 5 * HOUR + 60_000;
    const records = recordsOf({ spec, allowed }, { catchUp: '1d' });
    expect(typeOf(AT, AT + 60_000, records)).toBe('legal');
    for (const hours of [1, 2, 4]) expect(typeOf(AT + hours * HOUR, now, records)).toBe('illegal');
    expect(typeOf(AT + 5 * HOUR, now, records)).toBe('legal');
  });
});

describe('a firing that comes late', () => {
  it('is legal as long as a server, and then a worker, may have been away', () => {
    expect(typeOf(AT, AT + 2 * HOUR)).toBe('legal');
    expect(typeOf(AT, AT + 2 * HOUR + 120_000)).toBe('late');
    expect(typeOf(AT, AT + 600_000, recordsOf({}, { catchUp: '10s' }))).toBe('legal');
    expect(judgeFiring(AT, AT + DAY, recordsOf())).toEqual({
      type: 'late',
      reason: 'It fired later than its catch-up time of 1h allows.',
    });
  });

  it('is legal if it had to wait for a batch before it, which has just ended', () => {
    const now = AT + 9 * HOUR;
    const before = (endedAt: number | null): Partial<FiringRecords> => ({
      occurrences: [{ at: AT - HOUR, state: endedAt === null ? 'running' : 'ended', endedAt }],
    });
    expect(typeOf(AT, now, recordsOf(before(now - 1_000), { overlap: 'buffer-all' }))).toBe('legal');
    expect(typeOf(AT, now, recordsOf(before(now - 1_000), { overlap: 'skip' }))).toBe('late');
    expect(typeOf(AT, now, recordsOf(before(AT - 1), { overlap: 'buffer-all' }))).toBe('late');
    expect(typeOf(AT, AT + 40 * DAY, recordsOf(before(AT + HOUR), { overlap: 'buffer-all' }))).toBe('late');
  });

  it('is legal if it is on record as running: it began before', () => {
    const running = { at: AT, state: 'running' as const, endedAt: null };
    expect(typeOf(AT, AT + 40 * DAY, recordsOf({ occurrences: [running], allowed: [] }))).toBe('legal');
  });
});

describe('a firing that somebody asked for', () => {
  const now = AT + 1_234_000;
  const trigger = { id: 7, kind: 'trigger', ...spanOfTrigger(now), at: null, isVoid: false } as const;

  it('is legal once, about when it was asked for', () => {
    const second = now + 2_000;
    expect(judgeFiring(second, now + 3_000, recordsOf({}, {}, [trigger]))).toEqual({ type: 'legal', trigger: 7 });
    const used = recordsOf({}, {}, [{ ...trigger, at: second }]);
    expect(judgeFiring(second, now + 3_000, used)).toEqual({ type: 'legal', trigger: 7 });
    expect(typeOf(second + 1_000, now + 3_000, used)).toBe('illegal');
    expect(typeOf(now - 120_000, now, recordsOf({}, {}, [trigger]))).toBe('illegal');
    expect(typeOf(second, now + DAY, recordsOf({}, {}, [trigger]))).toBe('late');
  });

  it('is illegal once it is void, unless it has begun; its run still counts as asked for', () => {
    const second = now + 2_000;
    const voided = { ...trigger, isVoid: true };
    expect(typeOf(second, now + 3_000, recordsOf({}, {}, [voided]))).toBe('illegal');
    expect(typeOf(second, now + 3_000, recordsOf({}, {}, [{ ...voided, at: second }]))).toBe('illegal');
    expect(typeOf(second, now + 3_000, recordsOf({}, {}, [voided, trigger]))).toBe('legal');
    const running = [{ at: second, state: 'running' as const, endedAt: null }];
    expect(typeOf(second, now + 3_000, recordsOf({ occurrences: running }, {}, [voided]))).toBe('legal');
    const used = { ...voided, at: AT + HOUR };
    const ended = [{ at: used.at, state: 'ended' as const, endedAt: used.at + 1 }];
    expect(runsLeft(recordsOf({ occurrences: ended }, { runs: 2 }, [used]))).toBe(2);
  });

  it('may wait for a batch whatever the overlap policy of the schedule is', () => {
    const occurrences = [{ at: AT, state: 'ended' as const, endedAt: now + DAY }];
    expect(typeOf(now + 2_000, now + DAY + 5_000, recordsOf({ occurrences }, {}, [trigger]))).toBe('legal');
  });

  describe('of the past', () => {
    const backfill: AllowedFirings = {
      id: 8,
      kind: 'backfill',
      from: MADE - 3 * DAY,
      until: MADE - 2 * DAY,
      spec: specOf({ every: '1h' }),
      askedAt: AT,
      isVoid: false,
    };
    const first = MADE - 3 * DAY;

    it('is legal at the due times of the range', () => {
      const records = recordsOf({}, {}, [backfill]);
      expect(typeOf(first, AT, records)).toBe('legal');
      expect(typeOf(MADE - 2 * DAY, AT, records)).toBe('legal');
      expect(typeOf(MADE - 2 * DAY - 60_000, AT, records)).toBe('illegal');
      expect(typeOf(MADE - DAY, AT, records)).toBe('illegal');
      expect(typeOf(first, AT, recordsOf({}, {}, [{ ...backfill, isVoid: true }]))).toBe('illegal');
    });

    it('may take a week to begin, or longer behind a batch of the range, or one that ran when it was asked for', () => {
      const [soon, later] = [AT + 7 * DAY, AT + 7 * DAY + 1];
      expect(typeOf(first, soon, recordsOf({}, {}, [backfill]))).toBe('legal');
      expect(typeOf(first, later, recordsOf({}, {}, [backfill]))).toBe('late');
      const after = (at: number, endedAt: number | null): string => {
        const occurrences = [{ at, state: 'ended' as const, endedAt }];
        return typeOf(first, later + 30 * DAY, recordsOf({ occurrences }, {}, [backfill]));
      };
      const lately = later + 29 * DAY;
      expect(after(first + HOUR, lately)).toBe('legal');
      expect(after(first + HOUR, null)).toBe('legal');
      expect(after(AT - HOUR, lately)).toBe('legal');
      // Those that the schedule makes by itself later are none that it waits for.
      expect(after(AT + DAY, lately)).toBe('late');
      expect(after(first + HOUR, AT + DAY)).toBe('late');
    });
  });
});

describe('due here', () => {
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
});

describe('late', () => {
  const HOUR_MS = 3_600_000;

  describe('a firing that waited for a worker', () => {
    it.each([
      [0, HOUR_MS],
      [HOUR_MS, HOUR_MS],
      [600_000, 10_000],
    ])('for %d ms with a catch-up time of %s is in time', (waited, catchUp) => {
      expect(whyTooLate(waited, catchUp)).toBeUndefined();
    });

    it.each([
      [HOUR_MS + 1, HOUR_MS, '1h'],
      [600_001, 10_000, '10s'],
    ])('for %d ms with a catch-up time of %d is too late', (waited, catchUp, words) => {
      expect(whyTooLate(waited, catchUp)).toBe(`It fired, and no worker took it within its catch-up time of ${words}.`);
    });
  });
});

describe('look-back', () => {
  const DAY = 86_400_000;
  const AT = Date.UTC(2026, 6, 1);
  const spec = specOf({ cron: '0 0 1 */3 *' });

  describe('how far back occurrences decide about a firing', () => {
    it('is a month, for batches that it may have had to wait for', () => {
      expect(firingLookBack(AT, { spec, settledAt: 0, allowed: [] })).toBe(AT - 31 * DAY);
    });

    it('is to when its times were set, where its runs are counted', () => {
      const counted = specOf({ cron: '0 0 1 */3 *', runs: 5 });
      expect(firingLookBack(AT, { spec: counted, settledAt: AT - 90 * DAY, allowed: [] })).toBe(AT - 90 * DAY);
    });

    it('is the whole range of a backfill that it may be of', () => {
      const backfill: AllowedFirings = {
        ...{ id: 1, kind: 'backfill', from: AT - 400 * DAY, until: AT, isVoid: false, askedAt: AT + DAY },
        spec: specOf({ cron: '0 0 1 */3 *', jitter: '1h' }),
      };
      const lookBack = (at: number): number => firingLookBack(at, { spec, settledAt: 0, allowed: [backfill] });
      expect(lookBack(AT)).toBe(AT - 400 * DAY - 3_600_000);
      expect(lookBack(AT + 1)).toBe(AT + 1 - 31 * DAY);
    });
  });
});
