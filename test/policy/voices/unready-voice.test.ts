import { describe, expect, it } from '@jest/globals';
import type { Failure } from '../../../contract/failures.ts';
import { maySayUnready, mayBeTaken } from '../../../policy/voices/unready-voice.ts';

const refused = (said: string, status = 400): Failure => ({
  class: 'BadRequest',
  message: `POST /tts/jobs was answered with ${String(status)} – ${said}`,
  status,
});

describe('maySayUnready', () => {
  it.each([
    'ERR_VOICE_NOT_READY: Voice is still in training',
    'voice_not_ready: The voice is not ready yet',
    'ERR_VOICE_NOT_FOUND: Voice not found – the API says not to retry',
    'invalid_request: Unknown voiceId',
    'Model not found',
    'MODEL_TRAINING: Text-to-speech model is not ready',
    'invalid_request: the reference is being processed',
    'ERR_FORBIDDEN: No access to this voice',
    'ERR_NOT_FOUND: Not found',
    'The text cannot be spoken: its voice is pending',
    '音色训练中',
  ])('may be: %s', (said) => expect(maySayUnready(refused(said))).toBe(true));

  it.each([
    'ERR_MISSING_REQUIRED_FIELDS: Invalid request body',
    'invalid_emotion: Emotion "glad" is not available for this voice',
    'The voice does not support this language',
    'ERR_MODEL_NOT_SUPPORTED: This voice does not work with this model',
    'Text too long (max 500)',
    'text must be at most 500 characters for this model',
    'String must contain at most 500 character(s)',
    'invalid_format: unknown format',
    'invalid_request: voice speed must be between 0.5 and 2',
    'ERR_CONFLICT: The resource is in use',
    'a web page instead of JSON: "Access denied"',
    'invalid_request: a constraint was violated',
    'an empty answer',
    'JSON without an error message',
    '',
  ])('is not: %s', (said) => expect(maySayUnready(refused(said))).toBe(false));

  it('is never an answer that may have been charged, or a refusal of another class', () => {
    expect(maySayUnready(refused('but the body is an error – Voice is still in training', 200))).toBe(false);
    expect(maySayUnready({ ...refused('Voice is still in training'), class: 'OutcomeUnknown' })).toBe(false);
    expect(maySayUnready({ ...refused('Model training: too many requests', 429), class: 'RateLimited' })).toBe(false);
  });
});

describe('mayBeTaken', () => {
  const earlier = (failure: Failure['class'] | null, take = 1) =>
    ({ step: 'speech', take, failure: failure === null ? null : { class: failure } }) as const;

  it.each([
    [[], false],
    [[earlier('BadRequest'), earlier('BadRequest')], false],
    [[earlier('BadRequest'), earlier('RateLimited')], true],
    [[earlier(null)], true],
    [[earlier('NotSent', 1)], false],
  ] as const)('after %j: %s', (attempts, expected) => {
    expect(mayBeTaken(attempts, { step: 'speech', take: attempts[0]?.failure?.class === 'NotSent' ? 2 : 1 })).toBe(
      expected,
    );
  });
});
