import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UNKNOWN_POLICIES } from '../../../contract/outcomes.ts';
import { KINDS } from '../../../contract/row-kinds.ts';
import { scaleRuns } from '../../support/property-runs.ts';
import { anyCommand } from '../../support/row-story/command.ts';
import { PureBook } from '../../support/row-story/pure-book.ts';
import { Story } from '../../support/row-story/story.ts';

describe('the row machine, in any order of events', () => {
  it('ends every row once, and never sends a take of a step twice without a refusal between', async () => {
    const seen = { sends: 0, lost: 0, newTakes: 0, late: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...UNKNOWN_POLICIES),
        fc.nat({ max: 2 }),
        fc.array(anyCommand, { minLength: 5, maxLength: 80 }),
        async (kinds, onUnknown, retakes, commands) => {
          const story = new Story(new PureBook(kinds), { kinds, onUnknown, retakes, budget: null });
          await story.tell(commands);
          seen.sends += story.seen.sends;
          seen.lost += story.seen.lost;
          seen.newTakes += story.seen.newTakes;
          seen.late += story.seen.late;
        },
      ),
      { numRuns: scaleRuns(200) },
    );
    // The stories must have got to what they are about.
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(0);
  });
});
