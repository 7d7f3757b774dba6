import { describe, expect, it } from '@jest/globals';
import { occurrenceVerdict, endCheckPauseMs } from '../../../policy/schedules/occurrence-end.ts';

const leftOut = (rows: number, budget: number | null, isCachedOnly = false) => ({ rows, budget, isCachedOnly });

describe('an occurrence', () => {
  it.each(['complete', 'failures', 'unknown', 'unfit'] as const)('whose batch ended as %s has not failed', (exit) => {
    expect(occurrenceVerdict('b', { exit })).toEqual({ type: 'ended', exit });
  });

  it.each([
    ['halted', undefined, 'Batch "b" halted, because too many of its rows failed.'],
    ['api', undefined, 'Batch "b" stopped, because the API refused its token or did not answer.'],
    ['mismatch', undefined, 'Batch "b" does not add up: a count, hash or sum is wrong.'],
    ['skipped', undefined, 'Batch "b" stopped at its budget or ran out of credits.'],
    ['skipped', leftOut(1, 60), 'Batch "b" stopped at its budget of 60 credits: 1 row was not sent.'],
    ['skipped', leftOut(2, null), 'Batch "b" ran out of credits: 2 rows were not sent.'],
    ['skipped', leftOut(2, 60, true), 'Batch "b" pays for nothing that is not in the cache: 2 rows were not sent.'],
  ] as const)('whose batch ended as %s (%j) has failed, and says so in English', (exit, left, reason) => {
    const end = left === undefined ? { exit } : { exit, leftOut: left };
    expect(occurrenceVerdict('b', end)).toEqual({ type: 'failed', exit, reason });
  });

  it('whose files could not be written has failed, however its batch ended', () => {
    const reason = 'The disk is full.';
    expect(occurrenceVerdict('b', { exit: 'complete', problem: reason })).toEqual({
      type: 'failed',
      exit: 'complete',
      reason,
    });
    expect(occurrenceVerdict('b', { exit: 'halted', problem: reason })).toEqual({
      type: 'failed',
      exit: 'halted',
      reason,
    });
  });
});

it('the pause between two looks at a batch grows to 15 s where nobody tells of its end', () => {
  const pauses = [0, 1, 2, 3, 4, 5, 1_000].map((looks) => endCheckPauseMs(looks, false));
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});
