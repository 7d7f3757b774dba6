import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isBatchName } from '../../../contract/batch-name.ts';
import {
  formatOccurrence,
  MAX_SCHEDULE_NAME_LENGTH,
  parseOccurrence,
  scheduledTimeOf,
} from '../../../policy/schedules/occurrence.ts';

const TWO_O_CLOCK = Date.UTC(2026, 11, 1, 2);

/** Whole seconds of the years that have four digits. */
const time = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) / 1_000 }).map((seconds) => seconds * 1_000);
const schedule = fc.string({ minLength: 1, maxLength: MAX_SCHEDULE_NAME_LENGTH, unit: 'binary' }).filter(isBatchName);

describe("an occurrence's name", () => {
  it('is that of the schedule and its time in UTC', () => {
    expect(formatOccurrence({ schedule: 'nightly', at: TWO_O_CLOCK })).toBe('nightly.2026-12-01T02-00-00Z');
    expect(parseOccurrence('nightly.2026-12-01T02-00-00Z')).toEqual({ schedule: 'nightly', at: TWO_O_CLOCK });
  });

  it('can be read again, and is a safe name of a batch', () => {
    fc.assert(
      fc.property(schedule, time, (name, at) => {
        const batch = formatOccurrence({ schedule: name, at });
        expect(parseOccurrence(batch)).toEqual({ schedule: name, at });
        // A name that ends in a dot would have two in a row.
        if (!name.endsWith('.')) expect(isBatchName(batch)).toBe(true);
      }),
    );
  });

  it('sorts as its time does', () => {
    fc.assert(
      fc.property(time, time, (one, other) => {
        const [first, second] = [one, other].map((at) => formatOccurrence({ schedule: 'a', at }));
        expect(Math.sign(one - other)).toBe(first === second ? 0 : (first ?? '') < (second ?? '') ? -1 : 1);
      }),
    );
  });

  it.each([
    'lines',
    'nightly.2026-12-01',
    'nightly.2026-02-30T02-00-00Z',
    'nightly.2026-12-01T25-00-00Z',
    '.2026-12-01T02-00-00Z',
  ])('is not %s', (name) => expect(parseOccurrence(name)).toBeUndefined());
});

describe('the time of a workflow that a schedule started', () => {
  it('is behind its id', () => expect(scheduledTimeOf('voxbatch l1 nightly-2026-12-01T02:00:00Z')).toBe(TWO_O_CLOCK));

  it('is not in the id of any other workflow', () => {
    expect(scheduledTimeOf('voxbatch l1 nightly')).toBeUndefined();
    expect(scheduledTimeOf('voxbatch l1 nightly-2026-99-01T02:00:00Z')).toBeUndefined();
  });
});
