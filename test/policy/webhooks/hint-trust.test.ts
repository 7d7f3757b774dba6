import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { afterEnd, ENOUGH_HINTS, NEW_TRUST, sparesPolls, type HintTrust } from '../../../policy/webhooks/hint-trust.ts';

const ends = fc.array(fc.constantFrom('hinted' as const, 'missed' as const), { maxLength: 60 });
const after = (list: readonly ('hinted' | 'missed')[]): HintTrust => list.reduce(afterEnd, NEW_TRUST);

describe('trust in webhooks', () => {
  it('begins as a trial, which spares polls', () => {
    expect(sparesPolls(NEW_TRUST)).toBe(true);
  });

  it('falls at once when a job had ended without one, whatever came before', () => {
    fc.assert(
      fc.property(ends, (list) => {
        expect(sparesPolls(after([...list, 'missed']))).toBe(false);
      }),
    );
  });

  it('comes back when enough came in a row, and not before', () => {
    fc.assert(
      fc.property(ends, fc.nat({ max: 2 * ENOUGH_HINTS }), (list, hinted) => {
        const { standing } = after([...list, 'missed', ...new Array<'hinted'>(hinted).fill('hinted')]);
        expect(standing).toBe(hinted >= ENOUGH_HINTS ? 'trusted' : 'doubted');
      }),
    );
  });

  it('depends on nothing but the last ends: its state stays small', () => {
    fc.assert(
      fc.property(ends, (list) => {
        const { streak } = after(list);
        expect(streak).toBeGreaterThanOrEqual(0);
        expect(streak).toBeLessThanOrEqual(ENOUGH_HINTS);
      }),
    );
  });
});
