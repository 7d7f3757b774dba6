import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseCron, type CalendarTimes, type ReadCalendar } from '../../../policy/schedules/parse-cron.ts';

const MIDNIGHT: CalendarTimes = {
  second: [0],
  minute: [0],
  hour: [0],
  day: '*',
  month: '*',
  weekday: '*',
  year: '*',
};

function timesOf(read: ReadCalendar): CalendarTimes {
  if (read.type === 'refused') throw new Error(`expected ${read.expected}; got ${read.got}`);
  return read.times;
}

describe('a cron expression', () => {
  it.each([
    ['30 2 * * *', { minute: [30], hour: [2] }],
    ['*/15 * * * *', { minute: [0, 15, 30, 45], hour: '*' }],
    ['5/20 6-8 * * *', { minute: [5, 25, 45], hour: [6, 7, 8] }],
    ['0 2 * * MON-FRI', { hour: [2], weekday: [1, 2, 3, 4, 5] }],
    ['0 2 * * 7', { hour: [2], weekday: [0] }],
    ['0 2 * * fri-sun', { hour: [2], weekday: [0, 5, 6] }],
    ['0 2 1,15 jan,jul *', { hour: [2], day: [1, 15], month: [1, 7] }],
    ['@daily', {}],
    ['@monthly', { day: [1] }],
    ['  0   0 1 1 ? ', { day: [1], month: [1] }],
  ] as const)('%s is read', (text, times) => expect(timesOf(parseCron(text))).toEqual({ ...MIDNIGHT, ...times }));

  it.each([
    ['', 'nothing'],
    ['0 2 * *', '4 fields'],
    ['0 0 2 * * *', '6 fields'],
    ['@noon', '1 field'],
    ['60 2 * * *', '60'],
    ['0 24 * * *', '24'],
    ['0 2 0 * *', '0'],
    ['0 2 * 13 *', '13'],
    ['0 2 * * 8', '8'],
    ['0 5-2 * * *', '5-2'],
    ['*/0 2 * * *', '*/0'],
    ['0 2 * * moon', 'moon'],
    ['0 2 1 * mon', '0 2 1 * mon'],
  ])('"%s" is refused for "%s"', (text, got) => expect(parseCron(text)).toMatchObject({ type: 'refused', got }));

  it('of six fields is told what is meant', () => {
    expect(parseCron('0 0 2 * * *')).toMatchObject({ expected: expect.stringContaining('five fields') });
  });

  it('of a list has exactly its values', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { minLength: 1 }), (minutes) => {
        const { minute } = timesOf(parseCron(`${minutes.join(',')} * * * *`));
        expect(minute).toEqual(minutes.toSorted((one, other) => one - other));
      }),
    );
  });
});
