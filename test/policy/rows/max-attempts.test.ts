import { describe, expect, it } from '@jest/globals';
import { FAILURES, type FailureClass } from '../../../contract/failures.ts';
import { countRefusals, mayTryAgain, pausesBatch } from '../../../policy/rows/max-attempts.ts';

describe('mayTryAgain', () => {
  it.each([
    ['NotSent', 149, 150],
    ['RateLimited', 99, 100],
    ['ServiceDown', 7, 8],
  ] as const)('%s: yes after %d refusals, no after %d', (failure, yes, no) => {
    expect(mayTryAgain(failure, yes)).toBe(true);
    expect(mayTryAgain(failure, no)).toBe(false);
  });

  it('has no cap where a person must heal it, for the batch pauses', () => {
    const classes = Object.keys(FAILURES) as FailureClass[];
    expect(classes.filter(pausesBatch)).toEqual(['OutOfCredits', 'BadToken']);
    expect(mayTryAgain('BadToken', 1_000)).toBe(true);
    expect(mayTryAgain('OutOfCredits', 1_000)).toBe(true);
  });
});

describe('countRefusals', () => {
  const refused = {
    step: 'lip-sync',
    take: 2,
    state: 'not-accepted',
    failure: { class: 'ServiceDown' },
  } as const;

  it('counts attempts of the step and take that came to nothing for the same reason', () => {
    expect(countRefusals([], refused, 'ServiceDown')).toBe(0);
    expect(countRefusals([refused, refused], refused, 'ServiceDown')).toBe(2);
  });

  it.each([
    ['of another step', { step: 'speech' }],
    ['of another take', { take: 1 }],
    ['for another reason', { failure: { class: 'NotSent' } }],
    ['that were revoked, for no reason', { state: 'revoked', failure: null }],
    ['that may have been taken', { state: 'unknown' }],
  ] as const)('leaves out those %s', (_, other) => {
    expect(countRefusals([{ ...refused, ...other }], refused, 'ServiceDown')).toBe(0);
  });
});
