import { describe, expect, it } from '@jest/globals';
import { endingWords } from '../../../starters/schedules/ending-words.ts';

const BATCH = 'drops.2026-12-01T02-00-00Z';
const VIEW = { at: Date.UTC(2026, 11, 1, 2), batch: BATCH } as const;

describe('whoever waits for a firing', () => {
  it('hears why it was skipped, and of no batch that is paused', () => {
    const reason = 'The budget of 10 credits for 2026-12 is used up: 10 spent or reserved.';
    const words = endingWords({ ...VIEW, state: 'skipped', cause: 'month-budget', reason }, 'drops', '/out');
    expect(words).toBe(
      `Schedule "drops" fired, and this occurrence was skipped (month-budget): ${reason} No batch was made, and nothing was spent.`,
    );
  });

  it('hears that it waits', () => {
    const words = endingWords({ ...VIEW, state: 'waiting', reason: 'no worker has taken it.' }, 'drops', '/out');
    expect(words).toContain(`Batch ${BATCH} is not made yet: no worker has taken it.`);
  });

  it('hears in which folder its files are', () => {
    const words = endingWords({ ...VIEW, state: 'ended', exit: 'complete', charged: 1200 }, 'drops', '/out');
    expect(words).toBe(
      `Batch ${BATCH} has ended: 1,200 credits. Its files are in /out/${BATCH}/. For its counts: voxbatch status ${BATCH}`,
    );
  });

  it('hears of a pause where there is one', () => {
    expect(endingWords({ ...VIEW, state: 'running', exit: 'goesOn' }, 'drops', '/out')).toContain('is paused');
  });
});
