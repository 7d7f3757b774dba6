import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type ScheduleStanding,
  countMissed,
  explainMissing,
  isAmiss,
  noteInWords,
  pausedBy,
  recentOutcomes,
} from '../../../policy/schedules/missing-occurrence.ts';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../../contract/schedule.ts';
import type { ScheduleSpec } from '../../../policy/schedules/schedule-spec.ts';

const HOUR_MS = 3_600_000;
const AT = Date.UTC(2026, 11, 1, 2);
const DUE = { at: AT, firesAt: AT };

function specOf(more: Partial<ScheduleSpec> = {}): ScheduleSpec {
  return {
    times: { type: 'every', everyMs: HOUR_MS },
    timezone: 'UTC',
    jitterMs: 0,
    overlap: 'skip',
    catchUpMs: HOUR_MS,
    pauseOnFailure: false,
    until: null,
    runs: null,
    budgetMonth: null,
    ...more,
  };
}

function standing(more: Partial<ScheduleStanding> = {}): ScheduleStanding {
  return { spec: specOf(), isPaused: false, note: '', runs: [], buffered: 0, now: AT + 2 * HOUR_MS, ...more };
}

const STILL_RUNS = [{ at: AT - HOUR_MS, until: null, isScheduled: true }];

function withOverlap(overlap: OverlapPolicy, more: Partial<ScheduleStanding> = {}): ScheduleStanding {
  return standing({ spec: specOf({ overlap }), runs: STILL_RUNS, ...more });
}

describe('a due time without a firing', () => {
  it('was skipped where the batch before still ran', () => {
    const runs = [{ at: AT - HOUR_MS, until: AT + 1, isScheduled: true }];
    expect(explainMissing(DUE, standing({ runs }))).toEqual({
      type: 'skipped',
      cause: 'overlap',
      reason: 'The batch of 2026-12-01T01:00:00Z still ran, and --overlap is skip.',
    });
  });

  it('goes by when it should have fired, jitter included', () => {
    const runs = [{ at: AT - HOUR_MS, until: AT + 60_000, isScheduled: true }];
    const due = { at: AT, firesAt: AT + 30 * 60_000 };
    expect(explainMissing(due, standing({ runs }))).toMatchObject({ cause: 'missed' });
  });

  it('waits for its turn where the overlap policy lets it, and one at a time with buffer-one', () => {
    expect(explainMissing(DUE, withOverlap('buffer-all', { buffered: 7 }))).toMatchObject({ isBuffered: true });
    expect(explainMissing(DUE, withOverlap('buffer-one'))).toMatchObject({ isBuffered: true });
    expect(explainMissing(DUE, withOverlap('buffer-one', { buffered: 1 }))).toMatchObject({ cause: 'overlap' });
  });

  it('was not skipped for overlap where the policy lets batches run side by side', () => {
    expect(explainMissing(DUE, withOverlap('allow'))).toMatchObject({ cause: 'missed' });
  });

  it('gave way to a later one where several waited for a batch to stop, and waits until that is known', () => {
    const before = { at: AT - HOUR_MS, until: AT + 60_000, isScheduled: true };
    const later = { at: AT + HOUR_MS, until: null, isScheduled: true };
    expect(explainMissing(DUE, withOverlap('cancel'))).toMatchObject({ type: 'waiting', isBuffered: true });
    expect(explainMissing(DUE, withOverlap('cancel', { runs: [before, later] }))).toEqual({
      type: 'skipped',
      cause: 'overlap',
      reason: 'While the batch of 2026-12-01T01:00:00Z was being stopped, a later firing took the place of this one.',
    });
    expect(explainMissing(DUE, withOverlap('cancel', { runs: [before] }))).toMatchObject({ cause: 'missed' });
  });

  it('was skipped where the schedule is paused, with the note', () => {
    expect(explainMissing(DUE, standing({ isPaused: true, note: 'new voices' }))).toEqual({
      type: 'skipped',
      cause: 'paused',
      reason: 'The schedule was paused: new voices',
    });
  });

  it('was skipped by the pause, not by a batch that still runs: a paused schedule does not look at it', () => {
    expect(explainMissing(DUE, withOverlap('skip', { isPaused: true }))).toMatchObject({ cause: 'paused' });
    const runs = [{ at: AT - HOUR_MS, until: AT + 1, isScheduled: true }];
    expect(explainMissing(DUE, standing({ isPaused: true, runs }))).toMatchObject({ cause: 'overlap' });
    const ended = [{ at: AT - HOUR_MS, until: AT - 1, isScheduled: true }];
    expect(explainMissing(DUE, standing({ isPaused: true, runs: ended }))).toMatchObject({ cause: 'paused' });
  });

  it('waits as long as its catch-up time lasts, and is missed then', () => {
    expect(explainMissing(DUE, standing({ now: AT + HOUR_MS }))).toMatchObject({ type: 'waiting', isBuffered: false });
    expect(explainMissing(DUE, standing({ now: AT + HOUR_MS + 1 }))).toEqual({
      type: 'skipped',
      cause: 'missed',
      reason: 'No server was there within its catch-up time of 1h.',
    });
  });

  it('was not due where the schedule had used up its runs before', () => {
    const runs = [{ at: AT - HOUR_MS, until: AT - 1, isScheduled: true }];
    expect(explainMissing(DUE, standing({ spec: specOf({ runs: 0 }), runs }))).toEqual({ type: 'not-due' });
    const byHand = { at: AT + HOUR_MS, until: AT + HOUR_MS + 1, isScheduled: false };
    expect(explainMissing(DUE, standing({ spec: specOf({ runs: 0 }), runs: [...runs, byHand] }))).toEqual({
      type: 'not-due',
    });
    const later = [{ ...byHand, isScheduled: true }];
    expect(explainMissing(DUE, standing({ spec: specOf({ runs: 0 }), runs: later }))).toMatchObject({
      cause: 'missed',
    });
  });

  it('is settled some day, whatever the policy: nothing waits for ever once no run is left', () => {
    const run = fc.record({
      at: fc.integer({ min: AT - HOUR_MS, max: AT + HOUR_MS }),
      until: fc.constant(AT + HOUR_MS),
      isScheduled: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...OVERLAP_POLICIES),
        fc.array(run, { maxLength: 4 }),
        fc.boolean(),
        fc.nat(3),
        (overlap, runs, isPaused, buffered) => {
          const now = AT + 3 * HOUR_MS;
          const found = explainMissing(DUE, { spec: specOf({ overlap }), isPaused, note: '', runs, buffered, now });
          expect(found.type).toBe('skipped');
        },
      ),
    );
  });
});

describe('a schedule that paused by itself', () => {
  it('skips for that, without the words and ids of Temporal', () => {
    const note = 'paused due to workflow failure: voxbatch 438c nightly-2026-12-01T01:00:00Z: No manifest.';
    expect(explainMissing(DUE, standing({ isPaused: true, note }))).toEqual({
      type: 'skipped',
      cause: 'paused-on-failure',
      reason: 'The schedule had paused by itself, because an occurrence failed.',
    });
  });
});

describe('an occurrence is amiss', () => {
  it.each([
    ['failed', true, true],
    ['skipped', true, true],
    ['ended', false, false],
    ['running', true, false],
    ['running', false, true],
    ['waiting', true, false],
    ['waiting', false, true],
  ] as const)('%s with a worker %s: %s', (state, hasWorker, amiss) => {
    expect(isAmiss({ state, cause: null }, { hasWorker })).toBe(amiss);
  });

  it.each([
    ['paused', false],
    ['paused-on-failure', true],
    ['missed', true],
    ['overlap', true],
    ['month-budget', true],
  ] as const)('where a pause by hand is fine, also if skipped for %s: %s', (cause, amiss) => {
    expect(isAmiss({ state: 'skipped', cause }, { hasWorker: true, isPauseFine: true })).toBe(amiss);
    expect(isAmiss({ state: 'skipped', cause }, { hasWorker: true })).toBe(true);
  });
});

describe('missed together', () => {
  const missed = (at: number): { at: number; cause: 'missed'; reason: string } => ({
    at,
    cause: 'missed',
    reason: 'Away.',
  });
  const paused = { at: 9, cause: 'paused', reason: 'Paused.' } as const;

  describe('due times that were missed together', () => {
    it.each([
      [[missed(1)], ['Away.']],
      [
        [missed(1), missed(2)],
        ['Away.', 'Away. An earlier due time was missed with it.'],
      ],
      [
        [missed(3), missed(1), missed(2)],
        ['Away. 2 earlier due times were missed with it.', 'Away.', 'Away.'],
      ],
      [
        [missed(1), paused],
        ['Away.', 'Paused.'],
      ],
      [[paused], ['Paused.']],
    ])('%j', (skipped, reasons) => {
      expect(countMissed(skipped).map(({ reason }) => reason)).toEqual(reasons);
    });
  });
});

describe('the note of a schedule', () => {
  it.each([
    'paused due to workflow failure: voxbatch 438c6c19 nightly-2026-12-01T02:00:00Z: The manifest has a problem.',
    'paused due to workflow timeout: voxbatch 438c6c19 nightly-2026-12-01T02:00:00Z',
    'paused, workflow failed: voxbatch 438c6c19 nightly-2026-12-01T02:00:00Z',
  ])('is told without ids where the server wrote %j', (note) => {
    expect(pausedBy(note).cause).toBe('paused-on-failure');
    expect(noteInWords(note)).toBe('an occurrence failed');
  });

  it.each(['', 'new voices', 'paused by hand', 'workflow failed'])('is what a person wrote: %j', (note) => {
    expect(pausedBy(note).cause).toBe('paused');
    expect(noteInWords(note)).toBe(note);
  });
});

type State = Parameters<typeof recentOutcomes>[0][number]['state'];

describe('how a schedule has done of late', () => {
  it.each<[readonly State[], State | undefined, number]>([
    [[], undefined, 0],
    [['running'], undefined, 0],
    [['running', 'ended', 'failed'], 'ended', 0],
    [['running', 'skipped', 'failed', 'ended', 'failed'], 'skipped', 2],
    [['failed', 'running', 'skipped'], 'failed', 2],
  ])('of %j, the newest first, is %s with %d amiss in a row', (states, newest, amissInARow) => {
    const found = recentOutcomes(states.map((state) => ({ state })));
    expect([found.newest?.state, found.amissInARow]).toEqual([newest, amissInARow]);
  });
});
