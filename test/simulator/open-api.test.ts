/** @slow */
import { describe, expect, it } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../simulator/open-api.ts';
import { SHAPES } from '../../simulator/shapes.ts';
import type { SimulatorOptions } from '../../simulator/start-simulator.ts';
import { type Client, jobIdIn, linkIn, type Reply, openSimulator } from './with-simulator.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...openApiDocument(), $id: 'https://simulator.invalid/api' });

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}
const paths = openApiDocument()['paths'] as Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The schema at a place of the document. */
function validatorAt(...place: readonly string[]): ValidateFunction {
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validate = ajv.getSchema(`https://simulator.invalid/api#/${pointer}`);
  if (validate === undefined) throw new Error(`no schema at ${pointer}`);
  return validate;
}

/** Expects an answer to be what the document says for this path and status. */
function expectDocumented(reply: Reply, method: string, template: string): void {
  const operation = paths[template]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`the document lacks ${method} ${template}`);
  const status = String(reply.status) in operation.responses ? String(reply.status) : 'default';
  if (status === 'default') expect(reply.status).toBeGreaterThanOrEqual(400);
  const content = operation.responses[status]?.content;
  if (content === undefined) {
    expect({ method, template, bytes: reply.bytes.length }).toEqual({ method, template, bytes: 0 });
    return;
  }
  const type = reply.contentType.split(';')[0] ?? '';
  expect(Object.keys(content)).toContain(type);
  if (type !== 'application/json') return;
  const validate = validatorAt('paths', template, method.toLowerCase(), 'responses', status, 'content', type, 'schema');
  const valid = validate(reply.json);
  expect({ method, template, body: reply.text, errors: valid ? null : validate.errors }).toMatchObject({
    errors: null,
  });
}

const plan: SimulatorOptions['plan'] = {
  rules: [
    { on: 'create', match: { text: 'fails' }, fault: 'job-fails' },
    { on: 'create', match: { text: 'stuck' }, fault: 'job-stuck' },
    ...[400, 401, 402, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504].map((status) => ({
      on: 'create' as const,
      match: { text: `status ${status}` },
      fault: { kind: 'status', status, retryAfter: 3 },
    })),
  ],
};

/** Asks for everything, so that every answer is seen, good and bad; checks each against the document. */
async function tour({ call, origin, simulator }: Client): Promise<void> {
  const ask = async (method: string, path: string, template: string, body?: unknown): Promise<Reply> => {
    const reply = await call(method, path, body);
    expectDocumented(reply, method, template);
    return reply;
  };
  expect((await origin('GET', '/api/openapi.json')).json).toEqual(openApiDocument());
  await ask('GET', '/profile', '/profile');
  await ask('POST', '/profile', '/profile', { webhookUrl: 'http://127.0.0.1:9/a' });
  await ask('POST', '/profile', '/profile', { webhookUrl: 'nonsense' });
  await ask('GET', '/voices', '/voices');
  const form =
    '--B\r\ncontent-disposition: form-data; name="name"\r\n\r\nMine\r\n--B\r\ncontent-disposition: form-data; name="audioFiles"; filename="a.wav"\r\n\r\nRIFF0000WAVE\r\n--B--\r\n';
  const created = await call('POST', '/voices', form, { 'content-type': 'multipart/form-data; boundary=B' });
  expectDocumented(created, 'POST', '/voices');
  expectDocumented(
    await call('POST', '/voices', 'x', { 'content-type': 'multipart/form-data; boundary=B' }),
    'POST',
    '/voices',
  );
  await ask('DELETE', `/voices/${jobIdIn(created)}`, '/voices/{voiceId}');
  await ask('DELETE', '/voices/narrator', '/voices/{voiceId}');
  await ask('DELETE', '/voices/nobody', '/voices/{voiceId}');
  const jobs = '/speech/tts/jobs';
  for (const text of ['all is well', 'this fails', 'this is stuck']) {
    const job = await ask('POST', jobs, jobs, { text, voiceId: 'narrator', format: 'wav' });
    const reading = await ask('GET', `${jobs}/${jobIdIn(job)}`, `${jobs}/{taskId}`);
    if (text === 'all is well') expect(linkIn(reading)).toContain(simulator.mediaUrl);
    const lip = '/media/lip-sync/jobs';
    const urls = {
      videoUrl: `https://x.example/v.mp4?about=${encodeURIComponent(text)}`,
      audioUrl: `https://x.example/${text.replaceAll(' ', '-')}.mp3`,
    };
    const made = await ask('POST', lip, lip, urls);
    await ask('GET', `${lip}/${jobIdIn(made)}`, `${lip}/{jobId}`);
    await ask('GET', `${lip}?page=1&limit=2`, lip);
    const dubbing = '/media/video-dubbing/jobs';
    const dubbed = await ask('POST', dubbing, dubbing, { video_url: urls.videoUrl, text, reference_id: 'narrator' });
    await ask('GET', `${dubbing}/${jobIdIn(dubbed)}`, `${dubbing}/{jobId}`);
  }
  for (const status of [400, 401, 402, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504]) {
    const reply = await ask('POST', jobs, jobs, { text: `status ${status}`, voiceId: 'narrator' });
    expect(reply.status).toBe(status);
  }
  await ask('POST', jobs, jobs, { text: 'x', voiceId: 'nobody' });
  await ask('POST', jobs, jobs, { text: 'x', voiceId: 'narrator', format: 'opus' });
  await ask('POST', jobs, jobs, '{broken');
  await ask('GET', `${jobs}/nothing`, `${jobs}/{taskId}`);
  for (const format of ['mp3', 'wav', 'pcm']) {
    await ask('POST', '/speech/tts', '/speech/tts', { text: 'at once', reference_id: 'narrator', format });
  }
  await ask('POST', '/speech/tts', '/speech/tts', { text: 'at once', voiceId: 'narrator', cache: true });
  // Found by the fuzzer: one of its shapes is a success with an error in it.
  await ask('POST', '/speech/tts', '/speech/tts', { text: 'at once', voiceId: 'nobody' });
  await ask('POST', '/speech/transcriptions', '/speech/transcriptions', {
    audioUrl: `${simulator.mediaUrl}/samples/voice-1.mp3`,
  });
  await ask('POST', '/speech/transcriptions', '/speech/transcriptions', { audioUrl: 'ftp://x/y' });
  expectDocumented(await call('GET', '/profile', undefined, { authorization: 'Bearer wrong' }), 'GET', '/profile');
}

/** Shapes of all dimensions at once, so few that each variant of each dimension is in one of them. */
const shapes = Array.from({ length: Math.max(...Object.values(SHAPES).map(({ length }) => length)) }, (_, at) =>
  Object.entries(SHAPES)
    .map(([dimension, names]) => `${dimension}=${names[at % names.length] ?? ''}`)
    .join(','),
);

describe('the OpenAPI document', () => {
  it.each(shapes)('describes every answer with %s', async (shape) => {
    await tour(await openSimulator({ plan, shape, seed: 3 }));
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('describes every answer of drawn shapes, seed %d', async (seed) => {
    await tour(await openSimulator({ plan, seed }));
  });

  it.each([
    ['/speech/tts/jobs', { text: 'a', voiceId: 'narrator' }, true],
    ['/speech/tts/jobs', { text: 'a', voiceId: 'narrator', modelId: 'm', speed: 2, volume: -20, format: 'wav' }, true],
    ['/speech/tts/jobs', { text: ' ', voiceId: 'narrator' }, false],
    ['/speech/tts/jobs', { text: 'a' }, false],
    ['/speech/tts/jobs', { text: 'a', voiceId: 'narrator', speed: 3 }, false],
    ['/speech/tts/jobs', { text: 'a', voiceId: 'narrator', format: 'opus' }, false],
    ['/speech/tts', { text: 'a', voiceId: 'narrator' }, true],
    ['/speech/tts', { text: 'a', reference_id: 'narrator', cache: true }, true],
    ['/speech/tts', { text: 'a' }, false],
    ['/speech/transcriptions', { audioUrl: 'https://x.example/a.mp3' }, true],
    ['/speech/transcriptions', { audioUrl: 'https://x.example/a.mp3', language: 'e' }, false],
    ['/speech/transcriptions', {}, false],
    ['/media/lip-sync/jobs', { videoUrl: 'https://x.example/v.mp4', audioUrl: 'https://x.example/a.mp3' }, true],
    ['/media/lip-sync/jobs', { videoUrl: 'https://x.example/v.mp4' }, false],
    ['/media/video-dubbing/jobs', { video_url: 'https://x.example/v', text: 'a', reference_id: 'narrator' }, true],
    ['/media/video-dubbing/jobs', { video_url: 'https://x.example/v', text: '', reference_id: 'narrator' }, false],
    ['/profile', { webhookUrl: 'http://127.0.0.1:9/a' }, true],
    ['/profile', { webhookUrl: 7 }, false],
  ])('describes what POST %s takes: %j is %s', async (path, body, isTaken) => {
    const validate = validatorAt('paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema');
    expect(validate(body)).toBe(isTaken);
    const { call } = await openSimulator({ seed: 3 });
    const reply = await call('POST', path, body);
    expect(reply.status < 400).toBe(isTaken);
  });
});
