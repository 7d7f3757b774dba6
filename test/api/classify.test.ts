import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { classifyDownload, classifyPaid, classifyRead, type Ruling } from '../../api/classify.ts';
import type { NoAnswer } from '../../api/http.ts';
import { isErrorBody } from '../../api/read-error-body.ts';
import { FAILURES } from '../../contract/failures.ts';
import { type Operation, OPERATIONS } from '../../contract/row-kinds.ts';
import { TOKEN } from '../support/api-server.ts';
import { scaleRuns } from '../support/property-runs.ts';
import { answerOf, contextOf, OWN, PAGE, rule } from './answers.ts';

describe('classifyPaid', () => {
  it.each([
    [400, OWN, 'rejected BadRequest'],
    [401, OWN, 'not-accepted BadToken'],
    [401, PAGE, 'not-accepted BadToken'],
    [402, undefined, 'not-accepted OutOfCredits'],
    [403, PAGE, 'rejected BadRequest'],
    [404, PAGE, 'rejected BadRequest'],
    [405, undefined, 'rejected BadRequest'],
    [408, OWN, 'unknown OutcomeUnknown'],
    [409, OWN, 'rejected BadRequest'],
    [413, 'too large', 'rejected BadRequest'],
    [415, OWN, 'rejected BadRequest'],
    [422, OWN, 'rejected BadRequest'],
    [429, undefined, 'not-accepted RateLimited'],
    [429, { error: 'Rate limit exceeded' }, 'not-accepted RateLimited'],
    [429, { error: 'Too many requests: quota per minute used up' }, 'not-accepted RateLimited'],
    [429, { error: 'Too Many Requests', details: 'Insufficient credits' }, 'not-accepted OutOfCredits'],
    [429, { error: 'API quota exhausted' }, 'not-accepted OutOfCredits'],
    [429, { code: 'insufficient_balance', message: 'no' }, 'not-accepted OutOfCredits'],
    [429, 'Not enough credits', 'not-accepted OutOfCredits'],
    [500, OWN, 'unknown OutcomeUnknown'],
    [502, PAGE, 'unknown OutcomeUnknown'],
    [503, OWN, 'not-accepted ServiceDown'],
    [503, { error: 'overloaded' }, 'not-accepted ServiceDown'],
    [503, { error: { message: 'overloaded' } }, 'not-accepted ServiceDown'],
    [503, { message: 'Service Unavailable' }, 'unknown OutcomeUnknown'],
    [503, PAGE, 'unknown OutcomeUnknown'],
    [503, undefined, 'unknown OutcomeUnknown'],
    [504, OWN, 'unknown OutcomeUnknown'],
    [302, undefined, 'unknown OutcomeUnknown'],
    [307, PAGE, 'unknown OutcomeUnknown'],
    [304, undefined, 'unknown OutcomeUnknown'],
    [599, { id: 't1' }, 'unknown OutcomeUnknown'],
  ])('rules %d with %j as %s', (status, body, ruling) => {
    for (const operation of OPERATIONS) expect(rule(answerOf(status, body), operation)).toBe(ruling);
  });

  it('trusts a 503 only as far as it is told to', () => {
    expect(rule(answerOf(503, OWN), 'speech-job', false)).toBe('unknown OutcomeUnknown');
    expect(rule(answerOf(503, OWN, {}, 'broke off'))).toBe('unknown OutcomeUnknown');
  });

  describe('a conflict (409)', () => {
    const repeat = (body: unknown, operation: Operation = 'speech-job'): Ruling =>
      classifyPaid(answerOf(409, body), contextOf(operation, true, true));

    it('is about the request itself at the first attempt of a take', () => {
      const named = { ...OWN, jobId: 't1' };
      expect(rule(answerOf(409, named))).toBe('rejected BadRequest');
    });

    it.each([
      { code: 'conflict', message: 'exists', jobId: 't1' },
      { error: { code: 'conflict', message: 'exists', task_id: 't1' } },
      { success: false, message: 'duplicate', data: { task: { id: 't1', status: 'queued' } } },
      { error: 'duplicate key', job: { id: 't1' } },
      { error: { message: 'duplicate', details: { job: { id: 't1' } } } },
      { message: 'duplicate', code: 'conflict', existing: { jobId: 't1' } },
    ])('after an earlier attempt adopts the job that %j names', (body) => {
      expect(repeat(body)).toMatchObject({ verdict: 'accepted', jobId: 't1' });
      // What is answered at once has no job to wait for.
      expect(repeat(body, 'transcription')).toMatchObject({ verdict: 'unknown' });
    });

    it.each([OWN, PAGE, undefined, { id: 'err_1', message: 'exists' }, { error: { id: 'err_1', message: 'exists' } }])(
      'after an earlier attempt leaves the outcome unknown with %j',
      (body) => {
        for (const operation of OPERATIONS) {
          expect(repeat(body, operation)).toMatchObject({
            verdict: 'unknown',
            failure: { class: 'OutcomeUnknown', status: 409, message: expect.stringContaining('an earlier attempt') },
          });
        }
      },
    );
  });

  it('keeps the wish to wait of a 503', () => {
    const ruling = classifyPaid(answerOf(503, OWN, { 'retry-after': '4' }), contextOf('speech-job'));
    expect(ruling).toMatchObject({ failure: { class: 'ServiceDown', retryAfterMs: 4_000 } });
  });

  it('takes the status of a refusal although its body broke off', () => {
    expect(rule(answerOf(422, '{"code":"x","mess', {}, 'broke off'))).toBe('rejected BadRequest');
    expect(rule(answerOf(429, '{"code":"x","mess', {}, 'broke off'))).toBe('not-accepted RateLimited');
  });

  it.each<[Operation, unknown, string]>([
    ['speech-job', { id: 't1', status: 'queued' }, 'accepted'],
    ['speech-job', { task: { taskId: 't1' }, record: {}, requestId: 'q' }, 'accepted'],
    ['speech-job', { id: 't1', status: 'failed', error: 'no voice' }, 'accepted'],
    ['speech-job', { requestId: 'q', status: 'queued' }, 'unknown OutcomeUnknown'],
    ['speech-job', { success: false, message: 'no voice' }, 'rejected BadRequest'],
    ['speech-job', { success: false, data: { id: 't1' } }, 'unknown OutcomeUnknown'],
    ['speech-job', { code: 'ERR_VOICE_NOT_FOUND', message: 'no voice' }, 'rejected BadRequest'],
    ['speech-job', { code: 0, message: 'ok' }, 'unknown OutcomeUnknown'],
    ['speech-job', { code: 'queued', message: 'wait' }, 'unknown OutcomeUnknown'],
    ['speech-job', { error: 'no voice' }, 'rejected BadRequest'],
    ['speech-job', PAGE, 'unknown OutcomeUnknown'],
    ['speech-job', undefined, 'unknown OutcomeUnknown'],
    ['speech-job', [], 'unknown OutcomeUnknown'],
    ['lip-sync-job', { success: true, message: 'ok', data: { id: 'j1', status: 'queued' } }, 'accepted'],
    ['lip-sync-job', { success: true, data: {} }, 'unknown OutcomeUnknown'],
    ['speech-sync', { success: true, audio_url: 'https://cdn.example/a' }, 'link'],
    ['speech-sync', { error: 'Voice not found' }, 'rejected BadRequest'],
    ['speech-sync', { error: 'Insufficient credits' }, 'not-accepted OutOfCredits'],
    ['speech-job', { success: false, message: '余额不足' }, 'not-accepted OutOfCredits'],
    ['transcription', { text: '', error: 'API quota exceeded' }, 'not-accepted OutOfCredits'],
    ['speech-sync', { error: 'Quota exceeded: 5 per minute' }, 'rejected BadRequest'],
    ['speech-sync', { error: 'Insufficient quality of the sample' }, 'rejected BadRequest'],
    ['speech-sync', { error: 'credits is no field of a request' }, 'rejected BadRequest'],
    ['lip-sync-job', { success: false, message: 'Insufficient credits', data: { id: 'j1' } }, 'unknown OutcomeUnknown'],
    ['speech-sync', { id: 't1', status: 'queued' }, 'unknown OutcomeUnknown'],
    ['transcription', { text: 'Hello', duration: 2, segments: [] }, 'done'],
    ['transcription', { success: true, data: { text: '' } }, 'done'],
    ['transcription', { text: '', error: 'not decodable' }, 'rejected BadRequest'],
    ['transcription', { duration: 2 }, 'unknown OutcomeUnknown'],
  ])('rules a 200 to %s with %j as %s', (operation, body, ruling) => {
    expect(rule(answerOf(200, body), operation)).toBe(ruling);
    expect(rule(answerOf(202, body), operation)).toBe(ruling);
  });

  it('does not believe a 2xx that broke off', () => {
    expect(rule(answerOf(202, '{"id":"t1"}', {}, 'broke off'))).toBe('unknown OutcomeUnknown');
  });

  it('tells job id, credits and request id', () => {
    const answer = answerOf(202, { task: { id: 't1' }, record: {}, requestId: 'req_1', creditsUsed: 12 });
    expect(classifyPaid(answer, contextOf('speech-job'))).toEqual({
      verdict: 'accepted',
      jobId: 't1',
      credits: 12,
      requestId: 'req_1',
    });
    const inHeaders = answerOf(202, { id: 't1' }, { 'x-openapi-credits-used': '0.5', 'x-request-id': 'req_2' });
    expect(classifyPaid(inHeaders, contextOf('speech-job'))).toMatchObject({ credits: 0.5, requestId: 'req_2' });
  });

  it('takes no text with a NUL for the id of a job, which no database keeps', () => {
    expect(rule(answerOf(202, { id: 't\u00001' }))).toBe('unknown OutcomeUnknown');
    expect(rule(answerOf(202, { id: 't1' }))).toBe('accepted');
  });

  it("keeps the API's code, words, request id and wish to wait", () => {
    const ruling = classifyPaid(
      answerOf(429, { ...OWN, retryable: true }, { 'retry-after': '7' }),
      contextOf('speech-job'),
    );
    expect(ruling).toEqual({
      verdict: 'not-accepted',
      failure: {
        class: 'RateLimited',
        cause: '429 busy from POST /x',
        message: 'POST /x was answered with 429 – busy: try later – the API allows a retry',
        status: 429,
        code: 'busy',
        requestId: 'req_1',
        retryAfterMs: 7_000,
      },
    });
  });

  it('says when a web page stands where JSON was expected', () => {
    const ruling = classifyPaid(answerOf(403, PAGE), contextOf('speech-job'));
    expect('failure' in ruling && ruling.failure.message).toContain('a web page instead of JSON: "Not here"');
  });
});

/** Any answer, with the token in any place that a server can write to. */
const anyAnswer = fc
  .record({
    status: fc.oneof(fc.integer({ min: 200, max: 599 }), fc.constantFrom(200, 202, 401, 402, 429, 503)),
    body: fc.oneof(
      fc.jsonValue(),
      fc.string(),
      fc.constant(PAGE),
      fc.record(
        {
          id: fc.constantFrom('t1', 7, '', null),
          success: fc.boolean(),
          code: fc.constantFrom('busy', 0, TOKEN),
          message: fc.constantFrom(`Bearer ${TOKEN}`, 'insufficient credits', ''),
          error: fc.oneof(
            fc.string(),
            fc.constant(`for ${encodeURIComponent(TOKEN)}`),
            fc.constant({ message: TOKEN }),
          ),
          text: fc.string(),
          audio_url: fc.webUrl(),
          requestId: fc.constantFrom('req', TOKEN),
          data: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    ),
    retryAfter: fc.constantFrom('5', 'soon', ''),
    requestId: fc.constantFrom('req', Buffer.from(TOKEN).toString('base64')),
    cut: fc.option(fc.constantFrom('the answer broke off', TOKEN), { nil: undefined }),
  })
  .map(({ status, body, retryAfter, requestId, cut }) =>
    answerOf(status, body, { 'retry-after': retryAfter, 'x-request-id': requestId }, cut),
  );

const anyNoAnswer: fc.Arbitrary<NoAnswer> = fc.record({
  type: fc.constant('no-answer'),
  mayBeSent: fc.boolean(),
  cause: fc.oneof(fc.string(), fc.constant(`connect ECONNREFUSED with ${TOKEN}`)),
});

describe('any answer at any stage', () => {
  const FORMS = [TOKEN, encodeURIComponent(TOKEN), Buffer.from(TOKEN).toString('base64').replaceAll('=', '')];

  it('gives exactly one verdict, and "not-accepted" after sending only for 401, 402, 429, an own 503 and an error about credits', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyAnswer, anyNoAnswer),
        fc.constantFrom(...OPERATIONS),
        fc.boolean(),
        (what, operation, trust503) => {
          const ruling: Ruling = classifyPaid(what, contextOf(operation, trust503));
          expect(['accepted', 'done', 'link', 'not-accepted', 'rejected', 'unknown']).toContain(ruling.verdict);
          if (ruling.verdict === 'not-accepted') {
            const door = what.type === 'answer' && [401, 402, 429].includes(what.status);
            const own503 = what.type === 'answer' && what.status === 503 && trust503 && what.json !== undefined;
            const neverGiven = what.type === 'no-answer' && !what.mayBeSent;
            const noCredits =
              ruling.failure.class === 'OutOfCredits' && what.type === 'answer' && isErrorBody(what.json);
            expect(door || own503 || neverGiven || noCredits).toBe(true);
          }
          if (ruling.verdict === 'rejected') expect(what).toMatchObject({ type: 'answer' });
          if (ruling.verdict === 'accepted') expect(what).toMatchObject({ type: 'answer' });
          if (what.type === 'answer' && what.status >= 300 && what.status < 400) expect(ruling.verdict).toBe('unknown');
          if (what.type === 'answer' && what.status >= 500 && what.status !== 503) {
            expect(ruling.verdict).toBe('unknown');
          }
        },
      ),
      { numRuns: scaleRuns(1_000) },
    );
  });

  it('never lets the token into a failure, and keeps its message short', () => {
    fc.assert(
      fc.property(fc.oneof(anyAnswer, anyNoAnswer), fc.constantFrom(...OPERATIONS), (what, operation) => {
        const context = contextOf(operation);
        const ruling = classifyPaid(what, context);
        const failures = [classifyRead(what, context), classifyDownload(what, context)];
        if ('failure' in ruling) failures.push(ruling.failure);
        for (const failure of failures) {
          expect(Object.keys(FAILURES)).toContain(failure.class);
          expect(failure.message.length).toBeLessThanOrEqual(500);
          for (const form of FORMS) expect(JSON.stringify(failure)).not.toContain(form);
        }
        if ('requestId' in ruling) expect(FORMS).not.toContain(ruling.requestId);
      }),
      { numRuns: scaleRuns(500) },
    );
  });
});

describe('classifyRead', () => {
  it.each([
    [400, OWN, 'BadRequest'],
    [401, OWN, 'BadToken'],
    [402, OWN, 'OutOfCredits'],
    [404, PAGE, 'BadRequest'],
    [408, OWN, 'ServiceDown'],
    [429, OWN, 'RateLimited'],
    [500, OWN, 'ServiceDown'],
    [503, PAGE, 'ServiceDown'],
    [302, undefined, 'ServiceDown'],
    [200, PAGE, 'ServiceDown'],
    [200, undefined, 'ServiceDown'],
    [200, { success: false, message: 'no such job' }, 'BadRequest'],
  ])('takes %d with %j for %s', (status, body, failureClass) => {
    expect(classifyRead(answerOf(status, body), contextOf('speech-job')).class).toBe(failureClass);
  });

  it('tells a lost connection from one that was never made', () => {
    const context = contextOf('speech-job');
    expect(classifyRead({ type: 'no-answer', mayBeSent: true, cause: 'reset' }, context).class).toBe('ServiceDown');
    expect(classifyRead({ type: 'no-answer', mayBeSent: false, cause: 'refused' }, context).class).toBe('NotSent');
  });
});

it.each([
  [200, PAGE, 'ResultGone'],
  [206, 'part', 'ResultGone'],
  [302, undefined, 'ResultGone'],
  [401, undefined, 'ResultGone'],
  [403, '<Error><Code>AccessDenied</Code></Error>', 'ResultGone'],
  [404, undefined, 'ResultGone'],
  [410, undefined, 'ResultGone'],
  [408, undefined, 'ServiceDown'],
  [429, undefined, 'RateLimited'],
  [503, undefined, 'ServiceDown'],
])('classifyDownload takes %d with %j for %s', (status, body, failureClass) => {
  expect(classifyDownload(answerOf(status, body), contextOf('speech-job')).class).toBe(failureClass);
});
