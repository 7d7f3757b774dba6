import { describe, expect, it } from '@jest/globals';
import { OUTCOMES } from '../../contract/outcomes.ts';
import { summarySchema } from '../../results/summary.ts';

const { outcomes } = summarySchema.shape;

describe('a summary of another version', () => {
  it('has no row of an outcome that it does not name, and none of one that is not known', () => {
    const read = outcomes.parse({ succeeded: 3, vanished: 1 });
    expect(Object.keys(read)).toEqual([...OUTCOMES]);
    expect(read).toMatchObject({ succeeded: 3, failed: 0 });
  });

  it('is refused where a count is none', () => {
    expect(outcomes.safeParse({ succeeded: -1 }).success).toBe(false);
  });
});
