/** @slow */
import { it } from '@jest/globals';
import fc from 'fast-check';
import { scaleRuns } from '../../support/property-runs.ts';
import { anyStory } from '../../support/row-story/any-story.ts';
import { PureBook } from '../../support/row-story/pure-book.ts';
import { Story } from '../../support/row-story/story.ts';

it('the row machine, in any order of events, ends every row once, and never sends a take of a step twice without a refusal between', async () => {
  await fc.assert(
    fc.asyncProperty(anyStory, async ({ rules, commands }) => {
      await new Story(new PureBook(rules.kinds), { ...rules, budget: null }).tell(commands);
    }),
    { numRuns: scaleRuns(200) },
  );
});
