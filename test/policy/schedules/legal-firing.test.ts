import { describe, expect, it } from '@jest/globals';
import {
  type AllowedFirings,
  type FiringRecords,
  dueHere,
  firingLookBack,
  judgeFiring,
  runsLeft,
  spanOfTrigger,
  lateReason,
} from '../../../policy/schedules/legal-firing.ts';
import type { WrittenSpec } from '../../../policy/schedules/schedule-spec.ts';
import { specOf } from '../../support/schedule-on-record.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Made a month before. */
const MADE = Date.UTC(2026, 10, 1);
/** Due. */
const AT = Date.UTC(2026, 11, 1, 2);

const due = (written: WrittenSpec, from = MADE, until: number | null = null): AllowedFirings => {
  return { id: 1, kind: 'due', from, until, spec: specOf({ every: '1h', ...written }) };
};

/** A schedule that fires each hour, with these allowances beside that of its due times. */
function recordsOf(
  change: Partial<FiringRecords> = {},
  written: WrittenSpec = {},
  more: readonly AllowedFirings[] = [],
): FiringRecords {
  const spec = specOf({ every: '1h', ...written });
  return { spec, settledAt: MADE, allowed: [due(written), ...more], occurrences: [], ...change };
}
const asked = (...more: readonly AllowedFirings[]): FiringRecords => recordsOf({}, {}, more);

type Occurrence = FiringRecords['occurrences'][number];
const run = (at: number, endedAt: number | null, state: Occurrence['state'] = 'ended'): Occurrence => {
  return { at, state, endedAt };
};
/** Those of so many hours before. */
const ended = [1, 2].map((hours) => run(AT - hours * HOUR, AT - HOUR + 1));

type Case = readonly [string, at: number, now: number, records: FiringRecords, 'legal' | 'late' | 'illegal'];
const judges = (cases: readonly Case[]): void => {
  it.each(cases)('%s', (_, at, now, records, type) => expect(judgeFiring(at, now, records).type).toBe(type));
};

describe('a firing at a due time', () => {
  const jittered = { allowed: [due({ jitter: '30m' }, AT + 600_000)], settledAt: AT + 600_000 };
  const resumed = AT + 5 * HOUR;
  const paused = recordsOf({ allowed: [due({}, resumed), due({}, MADE, AT + HOUR / 2)] }, { catchUp: '1d' });

  judges([
    ['is illegal where the schedule is not due', AT + 60_000, AT + 60_000, recordsOf(), 'illegal'],
    ['is illegal in the future', AT + HOUR, AT, recordsOf(), 'illegal'],
    ['is illegal before the schedule was made', MADE - DAY, MADE + HOUR, recordsOf(), 'illegal'],
    ['is legal before it, by its jitter', AT, AT + 900_000, recordsOf(jittered, { jitter: '30m' }), 'legal'],
    ['is illegal after the end', AT, AT, recordsOf({}, { until: '2026-12-01T01:30:00Z' }), 'illegal'],
    ['is legal within its runs', AT, AT, recordsOf({ occurrences: ended }, { runs: 3 }), 'legal'],
    ['is illegal after its runs', AT, AT, recordsOf({ occurrences: ended }, { runs: 2 }), 'illegal'],
    ['is legal if it was due before a pause', AT, AT + 60_000, paused, 'legal'],
    ...[1, 2, 4].map((hours): Case => [
      'is illegal in a pause',
      AT + hours * HOUR,
      resumed + 60_000,
      paused,
      'illegal',
    ]),
    ['is legal after the pause', resumed, resumed + 60_000, paused, 'legal'],
  ]);

  it('has runs left that were not fired, asked for by hand, skipped, or before the runs were counted', () => {
    const skipped = run(AT - 3 * HOUR, null, 'skipped');
    const trigger = { id: 2, kind: 'trigger', ...spanOfTrigger(AT - HOUR), at: AT - HOUR, isVoid: false } as const;
    expect(runsLeft(recordsOf({ occurrences: ended }, { runs: 3 }))).toBe(1);
    expect(runsLeft(recordsOf({ occurrences: ended }))).toBeNull();
    expect(runsLeft(recordsOf({ occurrences: [...ended, skipped] }, { runs: 2 }, [trigger]))).toBe(1);
    expect(runsLeft(recordsOf({ occurrences: ended, settledAt: AT - HOUR }, { runs: 2 }))).toBe(2);
  });

  it('count those that a backfill of their time found ended', () => {
    const range = { id: 3, kind: 'backfill', from: MADE, until: AT, isVoid: false } as const;
    const left = (askedAt: number): number | null => {
      const backfill = { ...range, spec: specOf({ every: '1h' }), askedAt };
      return runsLeft(recordsOf({ occurrences: [run(AT - HOUR, AT)] }, { runs: 2 }, [backfill]));
    };
    expect([left(AT - 1), left(AT + 1)]).toEqual([2, 1]);
  });
});

describe('a firing that comes late', () => {
  const now = AT + 9 * HOUR;
  const after = (endedAt: number, overlap: string): FiringRecords =>
    recordsOf({ occurrences: [run(AT - HOUR, endedAt)] }, { overlap });
  const began = recordsOf({ occurrences: [run(AT, null, 'running')], allowed: [] });

  judges([
    ['is legal as long as a server, and then a worker, may have been away', AT, AT + 2 * HOUR, recordsOf(), 'legal'],
    ['is late after that', AT, AT + 2 * HOUR + 120_000, recordsOf(), 'late'],
    ['is legal for ten minutes', AT, AT + 600_000, recordsOf({}, { catchUp: '10s' }), 'legal'],
    ['is legal if it had to wait for a batch that has just ended', AT, now, after(now - 1_000, 'buffer-all'), 'legal'],
    ['had not to wait by its overlap policy', AT, now, after(now - 1_000, 'skip'), 'late'],
    ['had not to wait for one that ended before', AT, now, after(AT - 1, 'buffer-all'), 'late'],
    ['is late if that ended long ago', AT, AT + 40 * DAY, after(AT + HOUR, 'buffer-all'), 'late'],
    ['is legal if it is on record as running: it began before', AT, AT + 40 * DAY, began, 'legal'],
  ]);

  it('says so', () => {
    const reason = 'It fired later than its catch-up time of 1h allows.';
    expect(judgeFiring(AT, AT + DAY, recordsOf())).toEqual({ type: 'late', reason });
  });
});

describe('a firing that somebody asked for', () => {
  const now = AT + 1_234_000;
  const second = now + 2_000;
  const trigger = { id: 7, kind: 'trigger', ...spanOfTrigger(now), at: null, isVoid: false } as const;
  const voided = { ...trigger, isVoid: true };
  const used = asked({ ...trigger, at: second });
  const begun = recordsOf({ occurrences: [run(second, null, 'running')] }, {}, [voided]);
  const behind = recordsOf({ occurrences: [run(AT, now + DAY)] }, {}, [trigger]);

  judges([
    ['is illegal at another second than the one that it took', second + 1_000, now + 3_000, used, 'illegal'],
    ['is illegal long before it was asked for', now - 120_000, now, asked(trigger), 'illegal'],
    ['is late a day after', second, now + DAY, asked(trigger), 'late'],
    ['is illegal once it is void', second, now + 3_000, asked(voided), 'illegal'],
    ['is illegal once it is void, if it was used', second, now + 3_000, asked({ ...voided, at: second }), 'illegal'],
    ['is legal by another that is not void', second, now + 3_000, asked(voided, trigger), 'legal'],
    ['is legal if it is void and has begun', second, now + 3_000, begun, 'legal'],
    ['may wait for a batch whatever the overlap policy is', second, now + DAY + 5_000, behind, 'legal'],
  ]);

  it('is legal once, about when it was asked for, and takes no run, also if it is void', () => {
    for (const records of [asked(trigger), used])
      expect(judgeFiring(second, now + 3_000, records)).toEqual({ type: 'legal', trigger: 7 });
    const occurrences = [run(AT + HOUR, AT + HOUR + 1)];
    expect(runsLeft(recordsOf({ occurrences }, { runs: 2 }, [{ ...voided, at: AT + HOUR }]))).toBe(2);
  });

  describe('of the past', () => {
    const [first, last] = [MADE - 3 * DAY, MADE - 2 * DAY];
    const range = { id: 8, kind: 'backfill', from: first, until: last, askedAt: AT, isVoid: false } as const;
    const backfill: AllowedFirings = { ...range, spec: specOf({ every: '1h' }) };
    const later = AT + 7 * DAY + 1;
    const lately = later + 29 * DAY;
    const after = (at: number, endedAt: number | null): FiringRecords =>
      recordsOf({ occurrences: [run(at, endedAt)] }, {}, [backfill]);

    judges([
      ['is legal at the first due time of the range', first, AT, asked(backfill), 'legal'],
      ['is legal at the last', last, AT, asked(backfill), 'legal'],
      ['is illegal between due times', last - 60_000, AT, asked(backfill), 'illegal'],
      ['is illegal behind the range', MADE - DAY, AT, asked(backfill), 'illegal'],
      ['is illegal once it is void', first, AT, asked({ ...backfill, isVoid: true }), 'illegal'],
      ['may take a week to begin', first, later - 1, asked(backfill), 'legal'],
      ['is late after that', first, later, asked(backfill), 'late'],
      ['may wait behind a batch of the range', first, later + 30 * DAY, after(first + HOUR, lately), 'legal'],
      ['may wait behind one that runs', first, later + 30 * DAY, after(first + HOUR, null), 'legal'],
      [
        'may wait behind one that ran when it was asked for',
        first,
        later + 30 * DAY,
        after(AT - HOUR, lately),
        'legal',
      ],
      // Those that the schedule makes by itself later are none that it waits for.
      ['waits for no later one', first, later + 30 * DAY, after(AT + DAY, lately), 'late'],
      ['waits no more for one that ended long ago', first, later + 30 * DAY, after(first + HOUR, AT + DAY), 'late'],
    ]);
  });
});

describe('a time', () => {
  /** Paused a moment before `AT`, and resumed three hours later. */
  const paused = [due({ runs: 2 }, AT + 2.5 * HOUR), due({ runs: 2 }, MADE, AT - 1_000)];
  const trigger = { id: 3, kind: 'trigger', from: AT - HOUR, until: AT + HOUR, at: null, isVoid: false } as const;
  const records = recordsOf({ allowed: [trigger, ...paused] }, { runs: 2 });
  const dueHours = (hours: readonly number[], change: Partial<FiringRecords>): readonly number[] =>
    hours.filter((hour) => dueHere({ ...records, ...change })(AT + hour * HOUR));
  const used = [-2, -1].map((hour) => run(AT + hour * HOUR, AT + hour * HOUR));

  it('is due here while the schedule is not paused, and a run is left, as far as runs are counted', () => {
    expect(dueHours([-1, 0, 1, 2, 3, 3.5, 4], {})).toEqual([-1, 3, 4]);
    expect(dueHours([-3, 3], { occurrences: used })).toEqual([]);
    expect(dueHours([-3, 3], { occurrences: used, settledAt: AT - 2.5 * HOUR })).toEqual([-3]);
    expect(dueHours([3], { occurrences: used.slice(1) })).toEqual([3]);
  });
});

it.each([
  [0, HOUR, undefined],
  [HOUR, HOUR, undefined],
  [600_000, 10_000, undefined],
  [HOUR + 1, HOUR, '1h'],
  [600_001, 10_000, '10s'],
])(
  'a firing that waited for a worker for %d ms with a catch-up time of %d is in time, but for %s',
  (ms, catchUp, of) => {
    const words = of && `It fired, and no worker took it within its catch-up time of ${of}.`;
    expect(lateReason(ms, catchUp)).toBe(words);
  },
);

describe('occurrences decide about a firing', () => {
  const spec = specOf({ cron: '0 0 1 */3 *' });
  const lookBack = (at: number, change: Partial<FiringRecords> = {}): number =>
    firingLookBack(at, { spec, settledAt: 0, allowed: [], ...change });

  it('of a month, for batches that it may have had to wait for, or since its times were set, if runs are counted', () => {
    expect(lookBack(AT)).toBe(AT - 31 * DAY);
    expect(lookBack(AT, { spec: { ...spec, runs: 5 }, settledAt: AT - 90 * DAY })).toBe(AT - 90 * DAY);
  });

  it('of the whole range of a backfill that it may be of', () => {
    const range = { from: AT - 400 * DAY, until: AT, isVoid: false, askedAt: AT + DAY };
    const allowed = [{ id: 1, kind: 'backfill', ...range, spec: { ...spec, jitterMs: HOUR } } as const];
    expect(lookBack(AT, { allowed })).toBe(AT - 400 * DAY - HOUR);
    expect(lookBack(AT + 1, { allowed })).toBe(AT + 1 - 31 * DAY);
  });
});
