import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { readArgument } from '../../activities/read-arguments.ts';
import { FIRST_DOWNLOAD_LANE } from '../../contract/worker-duty.ts';

const LANE = { batch: 'lines', lane: 1, lanes: 2, run: 'r' };
const FIRING = { schedule: 'nightly', at: 1_700_000_000_000, waitedMs: 5 };

describe('the argument of an activity', () => {
  it('is taken as our workflows write it', () => {
    expect(readArgument('surveyBatch', 'lines')).toBe('lines');
    expect(readArgument('workLane', LANE)).toEqual(LANE);
    const download = { ...LANE, lane: FIRST_DOWNLOAD_LANE };
    expect(readArgument('workLane', download)).toEqual(download);
    expect(readArgument('openOccurrence', FIRING)).toEqual(FIRING);
  });

  it('of an earlier version is taken without what it named to spend, read or write', () => {
    const old = { ...FIRING, run: { manifest: '/etc/passwd' }, month: { credits: 1e9 }, catchUpMs: 1e12 };
    expect(readArgument('openOccurrence', old)).toEqual(FIRING);
    const { waitedMs, ...older } = FIRING;
    expect(waitedMs).toBe(5);
    expect(readArgument('openOccurrence', older)).toEqual({ ...older, waitedMs: 0 });
    expect(readArgument('awaitOccurrence', { batch: 'b', out: '/tmp', workflowId: 'w', isClosed: false })).toBe('b');
  });

  it.each([
    ['workLane', { ...LANE, lane: -1 }],
    ['workLane', { ...LANE, lane: 3 }],
    ['workLane', { ...LANE, lane: FIRST_DOWNLOAD_LANE - 1 }],
    ['workLane', { ...LANE, lane: FIRST_DOWNLOAD_LANE + 2 }],
    ['workLane', { ...LANE, lanes: 1e9 }],
    ['workLane', { ...LANE, lane: 1.5 }],
    ['workLane', { ...LANE, batch: { name: 'lines' } }],
    ['workLane', undefined],
    ['surveyBatch', ['lines']],
    ['surveyBatch', 'x'.repeat(2_000)],
    ['stopBatch', 42],
    ['awaitOccurrence', { out: '/tmp' }],
    ['openOccurrence', { ...FIRING, at: 'now' }],
    ['openOccurrence', { ...FIRING, at: FIRING.at + 1 }],
    ['openOccurrence', { ...FIRING, at: 1e300 }],
    ['openOccurrence', { ...FIRING, waitedMs: -1 }],
    ['openOccurrence', { ...FIRING, schedule: '' }],
  ] as const)('of %s that is %j is refused for good', (activity, value) => {
    const read = (): unknown => readArgument(activity, value);
    expect(read).toThrow(ApplicationFailure);
    expect(read).toThrow(expect.objectContaining({ nonRetryable: true, type: 'BadArgument' }));
  });
});
