import { describe, expect, it } from '@jest/globals';
import { FAILURES, type Failure, type FailureClass } from '../../../contract/failures.ts';
import { interpretVagueRefusal, countRefusals, mayTryAgain, pausesBatch } from '../../../policy/rows/max-attempts.ts';

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

const vague: Failure = {
  class: 'RateLimited',
  limit: 'vague',
  message: 'POST /api/open/tts was answered with 429',
  status: 429,
};
const earlier = (count: number, take = 1, failure: Failure = vague) =>
  Array.from({ length: count }, () => ({ step: 'speech' as const, take, failure }));
const at = { step: 'speech', take: 1 } as const;

describe('a 429 that does not say why', () => {
  it('is taken for too fast seven times, and then for missing credits', () => {
    for (let before = 0; before < 7; before++) expect(interpretVagueRefusal(earlier(before), at, vague)).toBe(vague);
    expect(interpretVagueRefusal(earlier(7), at, vague)).toMatchObject({
      class: 'OutOfCredits',
      status: 429,
      message: expect.stringMatching(/does not say why, and came 8 times: credits may be missing/) as unknown,
    });
  });

  it('counts only its own take, and only answers of its sort', () => {
    expect(interpretVagueRefusal(earlier(20, 2), at, vague)).toBe(vague);
    expect(interpretVagueRefusal(earlier(20, 1, { class: 'RateLimited', message: 'slow down' }), at, vague)).toBe(
      vague,
    );
    const told: Failure = { class: 'RateLimited', limit: 'concurrency', message: 'too many jobs' };
    expect(interpretVagueRefusal(earlier(20), at, told)).toBe(told);
  });

  it('keeps the message short', () => {
    const { message } = interpretVagueRefusal(earlier(9), at, { ...vague, message: 'x'.repeat(490) });
    expect(message.length).toBeLessThanOrEqual(500);
  });
});
