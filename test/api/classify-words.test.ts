import { describe, expect, it } from '@jest/globals';
import { classifyDownload, classifyLostMedia, classifyPaid, classifyRead, type Ruling } from '../../api/classify.ts';
import type { NoAnswer } from '../../api/http.ts';
import type { Answer } from '../../api/read-answer.ts';
import type { Operation } from '../../contract/row-kinds.ts';
import { TOKEN } from '../support/api-server.ts';
import { answerOf, contextOf, PAGE, rule } from './answers.ts';

describe('the cause that failures are counted by', () => {
  const context = contextOf('speech-job');
  const paid = (what: Answer | NoAnswer): string | undefined => {
    const ruling = classifyPaid(what, context);
    return 'failure' in ruling ? ruling.failure.cause : ruling.verdict;
  };

  it.each<[Answer | NoAnswer, string]>([
    [answerOf(400, { code: 'ERR_VOICE', message: 'no voice 4711', requestId: 'req_1' }), '400 ERR_VOICE from POST /x'],
    [answerOf(500, PAGE), '500 from POST /x'],
    [answerOf(200, PAGE), '200 with no JSON from POST /x'],
    [answerOf(200, {}), '200 with other JSON from POST /x'],
    [answerOf(200, '{"id"', {}, 'broke off'), '200 with a cut body from POST /x'],
    [
      { type: 'no-answer', mayBeSent: true, cause: 'ECONNRESET: socket 7 hung up', code: 'ECONNRESET' },
      'no answer (ECONNRESET) from POST /x',
    ],
    [{ type: 'no-answer', mayBeSent: false, cause: 'refused' }, 'no connection from POST /x'],
  ])('of %j is %s', (what, cause) => expect(paid(what)).toBe(cause));

  it('names the host of a link, and nothing of the link', () => {
    const failure = classifyDownload(answerOf(403, '<Error>for request 17</Error>'), {
      ...context,
      from: 'cdn.example',
    });
    expect(failure.cause).toBe('403 from cdn.example');
    expect(classifyLostMedia('the disk is full', context).cause).toBe('a result that was not stored from POST /x');
  });
});

describe('what a failure says', () => {
  const context = contextOf('speech-job');
  const paid = (what: Answer | NoAnswer, operation: Operation = 'speech-job'): string => {
    const ruling = classifyPaid(what, contextOf(operation));
    return 'failure' in ruling ? ruling.failure.message : ruling.verdict;
  };
  const ERROR = { error: 'no voice' };
  const REFUSED = { success: false, message: 'no' };

  it.each<[Answer, Operation, string]>([
    [answerOf(302, undefined), 'speech-job', '302, a redirect, which is not followed – an empty answer'],
    [answerOf(399, undefined), 'speech-job', '399, a redirect, which is not followed – an empty answer'],
    [answerOf(500, undefined), 'speech-job', '500 – an empty answer'],
    [answerOf(408, undefined), 'speech-job', '408 – an empty answer'],
    [answerOf(200, ERROR), 'speech-job', '200, but the body is an error – no voice'],
    [answerOf(299, ERROR), 'transcription', '299, but the body is an error – no voice'],
    [answerOf(200, REFUSED), 'speech-job', '200, but the body is an error – no'],
    [
      answerOf(200, { ...REFUSED, data: { id: 't1' } }),
      'speech-job',
      '200, a body that is both an error and a result – no',
    ],
    [answerOf(200, {}), 'speech-job', '200, but without what was asked for – JSON without an error message'],
  ])('%j to %s: %s', (answer, operation, message) => {
    expect(paid(answer, operation)).toBe(`POST /x was answered with ${message}`);
  });

  it('tells a lost answer from a request that was not sent', () => {
    const lost = { type: 'no-answer', mayBeSent: true, cause: 'reset' } as const;
    expect(classifyPaid(lost, context)).toEqual({
      verdict: 'unknown',
      failure: { class: 'OutcomeUnknown', message: 'POST /x got no answer – reset', cause: 'no answer from POST /x' },
    });
    expect(classifyPaid({ ...lost, mayBeSent: false }, context)).toEqual({
      verdict: 'not-accepted',
      failure: { class: 'NotSent', message: 'POST /x was not sent – reset', cause: 'no connection from POST /x' },
    });
    expect(classifyDownload(lost, context).class).toBe('ServiceDown');
    expect(classifyDownload({ ...lost, mayBeSent: false }, context).class).toBe('NotSent');
  });

  it('says of media that are lost that they may have been charged', () => {
    expect(classifyLostMedia('disk full', context)).toEqual({
      class: 'OutcomeUnknown',
      message: 'POST /x gave a result that could not be stored; it may have been charged – disk full',
      cause: 'a result that was not stored from POST /x',
    });
    expect(classifyLostMedia(TOKEN, context).message).not.toContain(TOKEN);
  });

  it('says why a read or a download with a good status is no good', () => {
    expect(classifyRead(answerOf(200, ERROR), context).message).toContain('200, but the body is an error –');
    expect(classifyRead(answerOf(299, {}), context).message).toContain('299, but without what was asked for –');
    expect(classifyDownload(answerOf(200, PAGE), context).message).toContain('200, but not with the file –');
    expect(classifyDownload(answerOf(404, PAGE), context).message).toContain('answered with 404 –');
  });
});

describe('the edges of the ranges of statuses', () => {
  it.each([
    [199, 'unknown OutcomeUnknown', 'ServiceDown', 'ResultGone'],
    [399, 'unknown OutcomeUnknown', 'ServiceDown', 'ResultGone'],
    [400, 'rejected BadRequest', 'BadRequest', 'ResultGone'],
    [499, 'rejected BadRequest', 'BadRequest', 'ResultGone'],
    [500, 'unknown OutcomeUnknown', 'ServiceDown', 'ServiceDown'],
  ])('%d', (status, ruling, read, download) => {
    const answer = answerOf(status, undefined);
    expect(rule(answer)).toBe(ruling);
    expect(classifyRead(answer, contextOf('speech-job')).class).toBe(read);
    expect(classifyDownload(answer, contextOf('speech-job')).class).toBe(download);
  });

  it('a job id counts from 200 to 299 only', () => {
    expect([199, 200, 299, 300].map((status) => rule(answerOf(status, { id: 't1' })))).toEqual([
      ...['unknown OutcomeUnknown', 'accepted', 'accepted', 'unknown OutcomeUnknown'],
    ]);
  });
});

describe('a 429 about credits', () => {
  it.each([
    'Insufficient funds',
    'Out of CREDITS',
    'Your balance is too low',
    '余额不足',
    '积分不足',
    'Quota exhausted',
  ])('%s', (message) => {
    expect(rule(answerOf(429, { code: 'no', message }))).toBe('not-accepted OutOfCredits');
    expect(rule(answerOf(429, message))).toBe('not-accepted OutOfCredits');
  });

  it.each([
    'Quota exceeded: rate limit',
    'Quota: ratelimit',
    'Quota: rate-limit',
    'Quota exceeded, too many calls',
    'Quota of 5 per second',
    'Quota of 5 per minute',
    'Quota of 5 per hour',
    'Quota reached, slow down',
  ])('is not meant by: %s', (message) => {
    expect(rule(answerOf(429, { code: 'no', message }))).toBe('not-accepted RateLimited');
  });

  it('is told by the code alone, and not by a web page or by what comes far behind', () => {
    expect(rule(answerOf(429, { code: 'INSUFFICIENT', message: 'no' }))).toBe('not-accepted OutOfCredits');
    expect(rule(answerOf(429, '  <p>credits</p>'))).toBe('not-accepted RateLimited');
    expect(rule(answerOf(429, 'no <credits>'))).toBe('not-accepted OutOfCredits');
    // Of a giant answer only the beginning is looked at, or the process would stand still over it.
    const giant = `${'wait for '.repeat(100_000)}credits`;
    for (const body of [`${' '.repeat(500)}credits`, giant, { message: giant }, { error: 'no', details: giant }]) {
      expect(rule(answerOf(429, body))).toBe('not-accepted RateLimited');
    }
    expect(rule(answerOf(429, { message: 'undefined' }))).toBe('not-accepted RateLimited');
  });
});

describe('a 429 about jobs at once', () => {
  const limited = (body: unknown): Ruling => classifyPaid(answerOf(429, body), contextOf('speech-job'));
  const states = ['active', 'running', 'pending', 'queued'];
  const words = states.flatMap((state) => ['jobs', 'tasks', 'requests'].map((noun) => `${state} ${noun}`));

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
    ...['concurrent', 'simultaneous', 'parallel', 'unfinished', 'in progress', 'in-progress', ...words].map((one) => {
      return { code: 'no', message: `Too many: ${one}` };
    }),
  ])('%j is healed by waiting for a job', (body) => {
    const failure = { class: 'RateLimited', limit: 'concurrency' };
    expect(limited(body)).toMatchObject({ verdict: 'not-accepted', failure });
  });

  it.each([
    { error: 'Too many requests' },
    { error: 'Slow down: 60 requests per minute' },
    { error: 'Too many jobs per minute' },
    'Your jobs are active',
    undefined,
  ])('%j is about pace', (body) => {
    expect(limited(body)).toMatchObject({ verdict: 'not-accepted', failure: { class: 'RateLimited' } });
    expect(limited(body)).not.toHaveProperty('failure.limit');
  });
});

describe('an empty transcript', () => {
  it.each<[unknown, string]>([
    [{ text: '' }, 'done'],
    [{ text: '', error: 'broken' }, 'rejected BadRequest'],
    [{ text: 'Words', error: 'half of it' }, 'done'],
    [{ success: false, text: 'Words' }, 'rejected BadRequest'],
  ])('%j: %s', (body, ruling) => expect(rule(answerOf(200, body), 'transcription')).toBe(ruling));

  it('carries credits and request id, where they are told', () => {
    const told = { text: 'Words', creditsUsed: 3, requestId: 'req_9' };
    expect(classifyPaid(answerOf(200, told), contextOf('transcription'))).toMatchObject({
      credits: 3,
      requestId: 'req_9',
    });
    const untold = classifyPaid(answerOf(200, { text: 'Words' }), contextOf('transcription'));
    expect(Object.keys(untold).toSorted()).toEqual(['transcript', 'verdict']);
    const link = { success: true, audio_url: 'https://cdn.example/a', creditsUsed: 2 };
    expect(classifyPaid(answerOf(200, link), contextOf('speech-sync'))).toEqual({
      verdict: 'link',
      url: 'https://cdn.example/a',
      facts: { credits: 2 },
    });
  });
});
