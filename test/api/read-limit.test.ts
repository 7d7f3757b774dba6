import { describe, expect, it } from '@jest/globals';
import { classifyPaid } from '../../api/classify.ts';
import { answerOf, contextOf } from './answers.ts';

describe('a 429 about jobs at once', () => {
  it.each([
    { error: 'Too many unfinished jobs' },
    { code: 'ERR_CONCURRENCY', message: 'Concurrency limit of 5 reached' },
    { error: 'You have 3 running jobs; wait for one to finish' },
    { error: 'Too many jobs in progress' },
    { error: 'Too many jobs in flight' },
    { code: 'TOO_MANY_JOBS', message: 'Too many jobs' },
    { error: 'Too many requests', details: 'at most 5 in-flight requests' },
    { error: 'Rate limit exceeded: 5 concurrent jobs' },
    { error: 'Concurrent job quota exceeded' },
    { error: 'Insufficient concurrency' },
    { code: 'job_limit_reached', message: 'wait' },
    { error: 'The queue is full' },
    { error: 'Please wait for your other jobs to finish' },
    { error: '并发任务数超限' },
    'Too many simultaneous requests',
  ])('%j is healed by waiting for a job', (body) => {
    const ruling = classifyPaid(answerOf(429, body), contextOf('speech-job'));
    expect(ruling).toMatchObject({ verdict: 'not-accepted', failure: { class: 'RateLimited', limit: 'concurrency' } });
  });

  it.each([
    { error: 'Too many requests' },
    { error: 'Slow down: 60 requests per minute' },
    { error: 'Too many jobs per minute' },
    undefined,
  ])('%j is about pace', (body) => {
    const ruling = classifyPaid(answerOf(429, body), contextOf('speech-job'));
    expect(ruling).toMatchObject({ verdict: 'not-accepted', failure: { class: 'RateLimited' } });
    expect(ruling).not.toHaveProperty('failure.limit');
  });
});
