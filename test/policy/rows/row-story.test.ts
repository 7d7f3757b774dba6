/** @slow */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { scaleRuns } from '../../support/property-runs.ts';
import { anyStory, EXAMPLES } from '../../support/row-story/any-story.ts';
import { PureBook } from '../../support/row-story/pure-book.ts';
import { Story } from '../../support/row-story/story.ts';

describe('the row machine, in any order of events', () => {
  it('ends every row once, and never sends a take of a step twice without a refusal between', async () => {
    await fc.assert(
      fc.asyncProperty(anyStory, async ({ rules, commands }) => {
        await new Story(new PureBook(rules.kinds), { ...rules, budget: null }).tell(commands);
      }),
      { numRuns: scaleRuns(200) },
    );
  });

  it('is told by stories that get to what they are about', async () => {
    const seen = { sends: 0, lost: 0, newTakes: 0, late: 0, accepted: 0 };
    for (const { rules, commands } of EXAMPLES) {
      const story = new Story(new PureBook(rules.kinds), { ...rules, budget: null });
      await story.tell(commands);
      for (const what of ['sends', 'lost', 'newTakes', 'late', 'accepted'] as const) seen[what] += story.seen[what];
    }
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(0);
  });
});
