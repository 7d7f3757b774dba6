import { describe, expect, it } from '@jest/globals';
import type { Failure } from '../../../contract/failures.ts';
import { afterVague } from '../../../policy/rows/max-attempts.ts';

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
    for (let before = 0; before < 7; before++) expect(afterVague(earlier(before), at, vague)).toBe(vague);
    expect(afterVague(earlier(7), at, vague)).toMatchObject({
      class: 'OutOfCredits',
      status: 429,
      message: expect.stringMatching(/does not say why, and came 8 times: credits may be missing/) as unknown,
    });
  });

  it('counts only its own take, and only answers of its sort', () => {
    expect(afterVague(earlier(20, 2), at, vague)).toBe(vague);
    expect(afterVague(earlier(20, 1, { class: 'RateLimited', message: 'slow down' }), at, vague)).toBe(vague);
    const told: Failure = { class: 'RateLimited', limit: 'concurrency', message: 'too many jobs' };
    expect(afterVague(earlier(20), at, told)).toBe(told);
  });

  it('keeps the message short', () => {
    const { message } = afterVague(earlier(9), at, { ...vague, message: 'x'.repeat(490) });
    expect(message.length).toBeLessThanOrEqual(500);
  });
});
