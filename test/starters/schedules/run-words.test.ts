import { describe, expect, it } from '@jest/globals';
import { chooseSettings, type WantedBatch } from '../../../batches/batch-settings.ts';
import { scheduledRunOf } from '../../../batches/schedules/scheduled-choices.ts';
import type { ScheduledRun } from '../../../inputs/schedules/scheduled-run.ts';
import { droppedWords, runWords } from '../../../starters/schedules/schedule-words.ts';

function runOf(wanted: WantedBatch = {}, confirmAbove: number | null = null): ScheduledRun {
  const place = { manifest: '/lines.csv', outFolder: '/out', probe: false, confirmAbove };
  return scheduledRunOf(chooseSettings(wanted, {}), place);
}

const SET = runOf(
  {
    tuning: { cache: 'fresh', budget: 300, limits: { rate: 5 } },
    subset: { type: 'sample', rows: 20, seed: 1 },
    strict: true,
  },
  200,
);

describe('how the batches of a schedule are run', () => {
  it('is told where it is not by default', () => {
    expect(runWords(runOf())).toBe('');
    expect(runWords(SET)).toBe('cache fresh, rate 5, --confirm 200, --sample 20, --strict');
  });

  it('is told where an update drops it, but not where it changes', () => {
    expect(droppedWords(SET, runOf())).toBe(
      'budget 300 credits, cache fresh, rate 5, --confirm 200, --sample 20, --strict',
    );
    expect(droppedWords(SET, SET)).toBe('');
    expect(
      droppedWords(SET, runOf({ tuning: { cache: 'off', budget: 80, limits: { rate: 5 } }, strict: true }, 90)),
    ).toBe('--sample 20');
  });
});
