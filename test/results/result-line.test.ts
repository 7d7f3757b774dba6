import { describe, expect, it } from '@jest/globals';
import { creditsKindOf, creditsOf, roundCredits } from '../../results/result-line.ts';
import type { Charged } from '../../results/result-line.ts';

const reported: Charged = { state: 'accepted', charged: 2, chargedFrom: 'api' };
const quoted: Charged = { state: 'done', charged: 1.5, chargedFrom: 'quote' };
const refused: Charged = { state: 'not-accepted', charged: null, chargedFrom: null };
const lost: Charged = { state: 'unknown', charged: null, chargedFrom: null };
const unpriced: Charged = { state: 'accepted', charged: null, chargedFrom: null };

describe('credits of a row', () => {
  it.each([
    [[], 0, 'none'],
    [[refused], 0, 'none'],
    [[reported], 2, 'reported'],
    [[refused, reported, reported], 4, 'reported'],
    [[reported, quoted], 3.5, 'estimated'],
    [[reported, lost], 2, 'uncertain'],
    [[quoted, unpriced], 1.5, 'uncertain'],
  ] as const)('of %j are %d, %s', (charges, credits, kind) => {
    expect(creditsOf(charges)).toBe(credits);
    expect(creditsKindOf(charges)).toBe(kind);
  });

  it('are written without the noise of binary fractions', () => {
    expect(roundCredits(0.1 + 0.2)).toBe(0.3);
  });
});
