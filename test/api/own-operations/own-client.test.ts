import { describe, expect, it } from '@jest/globals';
import { ownClient } from '../../../api/own-operations/own-client.ts';
import { readJob } from '../../../api/read-job.ts';
import type { OwnOperation } from '../../../contract/own-operations/own-operation.ts';

const DENOISE: OwnOperation = {
  name: 'denoise',
  path: '/sound/denoise',
  answer: 'direct',
  result: 'audio',
  columns: { audio: { field: 'audio_url' }, video: { field: 'video_url', optional: true } },
  price: { unit: 'job', credits: 1 },
};
const RESULT = 'https://out.example/result.wav';
const INPUT = 'https://in.example/input.wav';

const replyOf = (json: unknown, change: Partial<OwnOperation> = {}): unknown =>
  ownClient({ ...DENOISE, ...change }).reply(json);

describe('the answer of an operation of a user', () => {
  it.each([
    ['the input beside the result', { audio_url: INPUT, result: { url: RESULT } }],
    ['a page of its documents', { url: 'https://docs.example', result_url: RESULT }],
    ['a result that bears the name of the input', { audio_url: INPUT, data: { result: { audio_url: RESULT } } }],
  ])('is its result, whatever else is there: %s', (_, json) => {
    expect(replyOf(json)).toEqual({ type: 'link', url: RESULT });
  });

  it('is none if it holds only what was sent', () => expect(replyOf({ audio_url: INPUT })).toBeUndefined());

  it('is what the user says where it has a name of its own', () => {
    expect(replyOf({ clean: RESULT, url: INPUT }, { links: ['clean'] })).toEqual({ type: 'link', url: RESULT });
  });
});

it('a job of an operation of a user never has an input for its result, also if the service keeps a copy of it', () => {
  const client = ownClient({ ...DENOISE, answer: 'job' });
  if (!('results' in client)) throw new Error('It makes no job.');
  const json = {
    id: 'j',
    status: 'completed',
    audio_url: 'https://cdn.example/copy.wav',
    video_url: 'https://cdn.example/copy.mp4',
  };
  expect(readJob(json, client.results, 'j', 'https://api.example')).toMatchObject({ phase: 'completed' });
  expect(readJob(json, client.results, 'j', 'https://api.example')?.resultUrl).toBeUndefined();
});
