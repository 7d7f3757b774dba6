import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type MissingOccurrence,
  type ScheduleFacts,
  countMissed,
  explainMissing,
  needsAttention,
  noteInWords,
  pausedBy,
  recentOutcomes,
} from '../../../policy/schedules/missing-occurrence.ts';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../../contract/schedule.ts';
import { specOf } from '../../support/schedule-on-record.ts';

const HOUR_MS = 3_600_000;
const AT = Date.UTC(2026, 11, 1, 2);
const DUE = { at: AT, firesAt: AT };

interface Change extends Partial<Omit<ScheduleFacts, 'spec'>> {
  readonly overlap?: OverlapPolicy;
  readonly ofRuns?: number;
}
/** How a schedule that is due each hour stands two hours later. */
function standing({ overlap = 'skip', ofRuns, ...change }: Change = {}): ScheduleFacts {
  const spec = { ...specOf({ every: '1h', overlap }), runs: ofRuns ?? null };
  return { spec, isPaused: false, note: '', runs: [], buffered: 0, now: AT + 2 * HOUR_MS, ...change };
}

type Run = ScheduleFacts['runs'][number];
/** The batch of the hour before, which ended then. */
const before = (until: number | null): readonly Run[] => [{ at: AT - HOUR_MS, until, isScheduled: true }];
const later = (isScheduled = true): Run => ({ at: AT + HOUR_MS, until: null, isScheduled });
/** The batch of a due time that a late server handled together with this one. */
const nextSecond = (isScheduled = true): Run => ({ at: AT + 1_000, until: null, isScheduled });

/** An explanation in a line. */
function words(found: MissingOccurrence): string {
  if (found.type === 'waiting') return found.isBuffered ? 'waiting, buffered' : 'waiting';
  return found.type === 'skipped' ? `skipped: ${found.cause}` : found.type;
}

describe('a due time without a firing', () => {
  const soon = AT + 60_000;
  const late = { at: AT, firesAt: AT + 30 * 60_000 };
  const hadEnded = before(AT - 1);
  /** Of the hour before, which waited for one of two hours before that lasted until then. */
  const after = (until: number): readonly Run[] => [
    ...before(null),
    { at: AT - 2 * HOUR_MS, until, isScheduled: true },
  ];
  const [ranBefore, ranEarlier] = [after(soon), after(AT - 1)];

  it.each<[string, Change, string, typeof DUE?]>([
    ['was skipped where the batch before still ran', { runs: before(AT + 1) }, 'skipped: overlap'],
    ['goes by when it should have fired, jitter included', { runs: before(soon) }, 'skipped: missed', late],
    ['waits for its turn', { overlap: 'buffer-all', runs: before(null), buffered: 7 }, 'waiting, buffered'],
    ['waits one at a time', { overlap: 'buffer-one', runs: before(null) }, 'waiting, buffered'],
    ['one more does not', { overlap: 'buffer-one', runs: before(null), buffered: 1 }, 'skipped: overlap'],
    ['one more did not, though that one runs by now', { overlap: 'buffer-one', runs: ranBefore }, 'skipped: overlap'],
    ['waits for one that had waited', { overlap: 'buffer-one', runs: ranEarlier }, 'waiting, buffered'],
    ['may run beside others', { overlap: 'allow', runs: before(null) }, 'skipped: missed'],
    ['waits for a batch to stop', { overlap: 'cancel', runs: before(null) }, 'waiting, buffered'],
    ['gave way to a later one', { overlap: 'cancel', runs: [...before(soon), later()] }, 'skipped: overlap'],
    ['gave way before it began', { overlap: 'cancel', runs: [nextSecond()], now: soon }, 'skipped: overlap'],
    ['did not give way to a trigger', { overlap: 'cancel', runs: [nextSecond(false)], now: soon }, 'waiting'],
    ['did not give way once it was missed', { overlap: 'cancel', runs: [later()] }, 'skipped: missed'],
    ['was not replaced where the next is skipped', { runs: [nextSecond()], now: soon }, 'waiting'],
    ['gave way to none', { overlap: 'cancel', runs: before(soon) }, 'skipped: missed'],
    [
      'was skipped in a pause, which does not look at batches',
      { isPaused: true, runs: before(null) },
      'skipped: paused',
    ],
    ['was skipped before a pause', { isPaused: true, runs: before(AT + 1) }, 'skipped: overlap'],
    ['was skipped in a pause, long after a batch', { isPaused: true, runs: hadEnded }, 'skipped: paused'],
    ['waits as long as its catch-up time lasts', { now: AT + HOUR_MS }, 'waiting'],
    ['is missed then', { now: AT + HOUR_MS + 1 }, 'skipped: missed'],
    ['was not due after its runs', { ofRuns: 0, runs: hadEnded }, 'not-due'],
    ['was not due beside one by hand', { ofRuns: 0, runs: [...hadEnded, later(false)] }, 'not-due'],
    ['was missed where a run came later', { ofRuns: 0, runs: [later()] }, 'skipped: missed'],
  ])('%s', (_, change, expected, due = DUE) => expect(words(explainMissing(due, standing(change)))).toBe(expected));

  it.each<[string, Change]>([
    ['The batch of 2026-12-01T01:00:00Z still ran, and --overlap is skip.', { runs: before(AT + 1) }],
    [
      'While the batch of 2026-12-01T01:00:00Z was being stopped, a later firing took the place of this one.',
      { overlap: 'cancel', runs: [...before(soon), later()] },
    ],
    ['The schedule was paused: new voices', { isPaused: true, note: 'new voices' }],
    ['No server was there within its catch-up time of 1h.', {}],
    [
      'The schedule had paused by itself, because an occurrence failed.',
      {
        isPaused: true,
        note: 'paused due to workflow failure: voxbatch 438c nightly-2026-12-01T01:00:00Z: No manifest.',
      },
    ],
  ])('says why: %s', (reason, change) => {
    expect(explainMissing(DUE, standing(change))).toMatchObject({ type: 'skipped', reason });
  });

  it('is settled some day, whatever the policy: nothing waits for ever once no run is left', () => {
    const run = fc.record({
      at: fc.integer({ min: AT - HOUR_MS, max: AT + HOUR_MS }),
      until: fc.constant(AT + HOUR_MS),
      isScheduled: fc.boolean(),
    });
    const standings = fc.record({
      overlap: fc.constantFrom(...OVERLAP_POLICIES),
      runs: fc.array(run, { maxLength: 4 }),
      isPaused: fc.boolean(),
      buffered: fc.nat(3),
    });
    fc.assert(
      fc.property(standings, (some) => {
        expect(explainMissing(DUE, standing({ ...some, now: AT + 3 * HOUR_MS })).type).toBe('skipped');
      }),
    );
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
    expect(needsAttention({ state, cause: null }, { hasWorker })).toBe(amiss);
  });

  it.each([
    ['paused', false],
    ['paused-on-failure', true],
    ['missed', true],
    ['overlap', true],
    ['month-budget', true],
  ] as const)('where a pause by hand is fine, also if skipped for %s: %s', (cause, amiss) => {
    expect(needsAttention({ state: 'skipped', cause }, { hasWorker: true, isPauseFine: true })).toBe(amiss);
    expect(needsAttention({ state: 'skipped', cause }, { hasWorker: true })).toBe(true);
  });
});

describe('due times that were missed together', () => {
  const missed = (at: number) => ({ at, cause: 'missed' as const, reason: 'Away.' });
  const paused = { at: 9, cause: 'paused' as const, reason: 'Paused.' };
  const [one, two] = ['An earlier due time was missed with it.', '2 earlier due times were missed with it.'];

  it.each([
    [[missed(1)], ['Away.']],
    [
      [missed(1), missed(2)],
      ['Away.', `Away. ${one}`],
    ],
    [
      [missed(3), missed(1), missed(2)],
      [`Away. ${two}`, 'Away.', 'Away.'],
    ],
    [
      [missed(1), paused],
      ['Away.', 'Paused.'],
    ],
    [[paused], ['Paused.']],
  ])('%j', (skipped, reasons) => expect(countMissed(skipped).map(({ reason }) => reason)).toEqual(reasons));
});

describe('the note of a schedule', () => {
  it.each([
    'paused due to workflow failure: voxbatch 438c6c19 nightly-2026-12-01T02:00:00Z: The manifest has a problem.',
    'paused due to workflow timeout: voxbatch 438c6c19 nightly-2026-12-01T02:00:00Z',
    'paused, workflow failed: voxbatch 438c6c19 nightly-2026-12-01T02:00:00Z',
  ])('is told without ids where the server wrote %j', (note) => {
    expect([pausedBy(note).cause, noteInWords(note)]).toEqual(['paused-on-failure', 'an occurrence failed']);
  });

  it.each(['', 'new voices', 'paused by hand', 'workflow failed'])('is what a person wrote: %j', (note) => {
    expect([pausedBy(note).cause, noteInWords(note)]).toEqual(['paused', note]);
  });
});

type State = Parameters<typeof recentOutcomes>[0][number]['state'];
it.each<[readonly State[], State | undefined, number]>([
  [[], undefined, 0],
  [['running'], undefined, 0],
  [['running', 'ended', 'failed'], 'ended', 0],
  [['running', 'skipped', 'failed', 'ended', 'failed'], 'skipped', 2],
  [['failed', 'running', 'skipped'], 'failed', 2],
])(
  'how a schedule has done of late: of %j, the newest first, is %s with %d amiss in a row',
  (states, newest, amiss) => {
    const found = recentOutcomes(states.map((state) => ({ state })));
    expect([found.newest?.state, found.amissInARow]).toEqual([newest, amiss]);
  },
);
