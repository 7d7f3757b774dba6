import { describe, expect, it } from '@jest/globals';
import { parseInstant, readScheduleSpec, type WrittenSpec } from '../../../policy/schedules/schedule-spec.ts';

describe('the spec of a schedule', () => {
  it('has defaults for all but its times', () => {
    expect(readScheduleSpec({ every: '1d' })).toEqual({
      type: 'read',
      spec: {
        times: { type: 'every', everyMs: 86_400_000 },
        timezone: 'UTC',
        jitterMs: 0,
        overlap: 'skip',
        catchUpMs: 3_600_000,
        pauseOnFailure: false,
        until: null,
        runs: null,
        budgetMonth: null,
      },
    });
  });

  it('has everything that is written', () => {
    const written: WrittenSpec = {
      cron: '30 2 * * *',
      timezone: 'Europe/Berlin',
      jitter: '5m',
      overlap: 'buffer-one',
      catchUp: '2h',
      pauseOnFailure: true,
      until: '2026-12-31T23:59:59Z',
      runs: 3,
      budgetMonth: '99.5',
    };
    expect(readScheduleSpec(written)).toMatchObject({
      spec: {
        times: { type: 'calendar', text: 'cron 30 2 * * *', calendar: { minute: [30], hour: [2] } },
        timezone: 'Europe/Berlin',
        jitterMs: 300_000,
        overlap: 'buffer-one',
        catchUpMs: 7_200_000,
        pauseOnFailure: true,
        until: Date.UTC(2026, 11, 31, 23, 59, 59),
        runs: 3,
        budgetMonth: 99.5,
      },
    });
  });

  it('keeps what is not written of the one before, and loses its budget for the month only if that is written', () => {
    const before = readScheduleSpec({ cron: '@daily', timezone: 'Asia/Tokyo', runs: 3, budgetMonth: '9' });
    if (before.type === 'refused') throw new Error(before.expected);
    expect(readScheduleSpec({}, before.spec)).toEqual(before);
    expect(readScheduleSpec({ every: '2h', overlap: 'allow', budgetMonth: 'none' }, before.spec)).toEqual({
      type: 'read',
      spec: { ...before.spec, times: { type: 'every', everyMs: 7_200_000 }, overlap: 'allow', budgetMonth: null },
    });
  });

  it.each<[keyof WrittenSpec, WrittenSpec]>([
    ['every', {}],
    ['every', { every: '1d', cron: '@daily' }],
    ['every', { every: 'daily' }],
    ['cron', { cron: '0 0 2 * * *' }],
    ['cron', { cron: '0 25 * * *' }],
    ['timezone', { every: '1d', timezone: 'Europe/Berln' }],
    ['timezone', { every: '1d', timezone: 'europe/berlin' }],
    ['timezone', { every: '1d', timezone: '+01:00' }],
    ['timezone', { every: '1d', timezone: '' }],
    ['jitter', { every: '1d', jitter: '5' }],
    ['jitter', { cron: '0 0 31 2 *', jitter: '5200w' }],
    ['jitter', { every: '1d', jitter: '4w1s' }],
    ['overlap', { every: '1d', overlap: 'queue' }],
    ['catchUp', { every: '1d', catchUp: '5s' }],
    ['catchUp', { every: '1d', catchUp: 'always' }],
    ['until', { every: '1d', until: '2026-12-31' }],
    ['runs', { every: '1d', runs: 0 }],
    ['runs', { every: '1d', runs: 1.5 }],
    ['budgetMonth', { every: '1d', budgetMonth: '0' }],
    ['budgetMonth', { every: '1d', budgetMonth: 'all' }],
  ])('is refused for its %s in %j', (option, written) => {
    expect(readScheduleSpec(written)).toMatchObject({ type: 'refused', option });
  });

  it('says how long a jitter may be', () => {
    expect(readScheduleSpec({ every: '1d', jitter: '5w' })).toMatchObject({
      expected: 'a length of time above 0, such as 90s, 15m, 1h30m, 1d or 2w; 28d at most; or 0',
    });
    expect(readScheduleSpec({ every: '1d', jitter: '4w' })).toMatchObject({ type: 'read' });
  });

  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata', 'Etc/GMT+5'])(
    'takes the timezone %s',
    (timezone) => {
      expect(readScheduleSpec({ every: '1d', timezone })).toMatchObject({ type: 'read' });
    },
  );
});

describe('an instant', () => {
  it('has an offset', () => {
    expect(parseInstant('2026-12-31T23:59+01:00')).toBe(Date.UTC(2026, 11, 31, 22, 59));
    expect(parseInstant('2026-12-31T23:59:58.500Z')).toBe(Date.UTC(2026, 11, 31, 23, 59, 58, 500));
  });

  it.each(['2026-12-31', '2026-12-31T23:59', '2026-02-30T00:00Z', '2026-12-31T25:00Z', '31.12.2026'])(
    'is not %s',
    (text) => {
      expect(parseInstant(text)).toBeUndefined();
    },
  );
});
