import { describe, expect, it } from '@jest/globals';
import { recentOutcomes } from '../../../policy/schedules/recent-outcomes.ts';

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
