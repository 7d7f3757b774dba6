import { describe, expect, it } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../simulator/open-api.ts';
import { jobIdIn, type Client, type Reply, openSimulator } from './with-simulator.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...openApiDocument('legacy'), $id: 'https://simulator.invalid/legacy' });

/** Expects an answer to have the schema of this name. */
function expectSchema(reply: Reply, name: string, status = 200): void {
  const validate = ajv.getSchema(`https://simulator.invalid/legacy#/components/schemas/${name}`) as ValidateFunction;
  const isValid = validate(reply.json);
  expect({ status: reply.status, body: reply.text, errors: isValid ? null : validate.errors }).toMatchObject({
    status,
    errors: null,
  });
}

/** Calls a legacy path with the token. */
function caller({ simulator, call }: Client) {
  const up = new URL(simulator.url).pathname.split('/').fill('..').slice(1).join('/');
  return (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> =>
    call(method, `/${up}${path}`, body, headers);
}

const LIP_SYNC = { video_url: 'https://x.example/v.mp4', audio_url: 'https://x.example/all-is-well.mp3' };
const FORM =
  '--B\r\ncontent-disposition: form-data; name="name"\r\n\r\nMine\r\n--B\r\ncontent-disposition: form-data; name="audioFiles"; filename="a.wav"\r\n\r\nRIFF1234WAVE\r\n--B--\r\n';

describe('the legacy paths of the simulator', () => {
  it.each([1, 2, 3, 4, 5])('answer as their document says, seed %d', async (seed) => {
    const client = await openSimulator({ seed });
    const ask = caller(client);
    expect((await ask('GET', '/__simulator/legacy-openapi.json')).json).toEqual(openApiDocument('legacy'));
    expectSchema(await ask('GET', '/api/open/profile'), 'LegacyProfile');
    expectSchema(await ask('POST', '/api/open/profile', { webhookUrl: 'x' }), 'LegacyProfile');
    expectSchema(
      await ask('POST', '/api/open/list-models', { modelType: 'all', page: 1, pageSize: 2 }),
      'LegacyModelList',
    );
    expectSchema(await ask('POST', '/api/open/list-models', { modelType: 'none' }), 'ErrorResponse', 400);
    expectSchema(await ask('POST', '/api/open/delete-model', { modelId: 'nobody' }), 'ErrorResponse', 404);
    expectSchema(
      await ask('POST', '/api/open/tts', { text: 'Hello.', reference_id: 'narrator', cache: true }),
      'LegacyCachedSpeech',
    );
    expect((await ask('POST', '/api/open/tts', { text: 'Hello.', reference_id: 'narrator' })).contentType).toBe(
      'audio/mpeg',
    );
    expectSchema(
      await ask('POST', '/api/open/tts', { text: 'Hello.', reference_id: 'narrator', version: 'v9' }),
      'ErrorResponse',
      400,
    );
    const created = await ask('POST', '/api/open/lip-sync/create', LIP_SYNC);
    expectSchema(created, 'LegacyLipSyncCreated');
    expectSchema(await ask('POST', '/api/open/lip-sync/create', { videoUrl: 'x' }), 'ErrorResponse', 400);
    const id = jobIdIn(created);
    expectSchema(await ask('GET', `/api/open/lip-sync/query?id=${id}`), 'LegacyLipSyncEnvelope');
    expectSchema(await ask('POST', '/api/open/lip-sync/query', { id }), 'LegacyLipSyncEnvelope');
    expectSchema(await ask('GET', '/api/open/lip-sync/query?id=other'), 'ErrorResponse', 404);
    expectSchema(await ask('GET', '/api/open/lip-sync/list?page=1&limit=50&status=completed'), 'LegacyLipSyncList');
    expectSchema(await ask('POST', '/api/open/lip-sync/list', { page: 1, limit: 5 }), 'LegacyLipSyncList');
    expectSchema(await ask('GET', '/api/open/lip-sync/list?limit=51'), 'ErrorResponse', 400);
    expectSchema(await ask('GET', '/api/open/profile', undefined, { authorization: 'Bearer x' }), 'ErrorResponse', 401);
  });

  it('POST /api/open/create-model: makes a voice that both dialects list, and that POST /api/open/delete-model removes', async () => {
    const client = await openSimulator({ seed: 2, shape: 'voices.body=paged' });
    const ask = caller(client);
    const header = { 'content-type': 'multipart/form-data; boundary=B' };
    const refused = await ask('POST', '/api/open/create-model', 'x', header);
    expectSchema(refused, 'ErrorResponse', 400);
    const made = await ask('POST', '/api/open/create-model', FORM, header);
    expectSchema(made, 'LegacyModelCreated');
    const { modelId } = made.json as { modelId: string };
    const listed = await ask('POST', '/api/open/list-models', { modelType: 'personal' });
    expect(listed.json).toMatchObject({ total: 1, items: [{ modelId, title: 'Mine', isPersonal: true }] });
    expect((await client.call('GET', '/voices')).text).toContain(modelId);
    expectSchema(await ask('POST', '/api/open/delete-model', { modelId }), 'LegacyModelDeleted');
    expect((await client.call('GET', '/voices')).text).not.toContain(modelId);
  });

  it('POST /api/open/delete-model: fails by plan, and keeps a voice that a job uses, as the path of v1 does', async () => {
    const rule = { on: 'delete' as const, match: { text: 'mine' }, fault: { kind: 'status', status: 503 }, times: 1 };
    const client = await openSimulator({ voiceCount: 1, jobMs: [60_000, 60_000], plan: { rules: [rule] } });
    const ask = caller(client);
    const remove = (modelId: string): Promise<Reply> => ask('POST', '/api/open/delete-model', { modelId });
    expect((await remove('mine')).status).toBe(503);
    const speech = { text: 'Hello.', voiceId: 'voice-1', format: 'mp3' };
    await client.call('POST', '/speech/tts/jobs', speech);
    expectSchema(await remove('voice-1'), 'ErrorResponse', 409);
    expect((await client.call('GET', '/voices')).text).toContain('voice-1');
  });

  // Found by the fuzzer.
  it('need no body where their document asks for none, and refuse a token that is no text', async () => {
    const paths = openApiDocument('legacy')['paths'] as Record<
      string,
      { post?: { requestBody?: { required: boolean } } }
    >;
    const client = await openSimulator({});
    const ask = caller(client);
    for (const path of ['list-models', 'lip-sync/list', 'lip-sync/query', 'profile'].map((one) => `/api/open/${one}`)) {
      const isRequired = paths[path]?.post?.requestBody?.required;
      expect([path, (await ask('POST', path)).status]).toEqual([path, isRequired === true ? 400 : 200]);
    }
    expectSchema(await ask('POST', '/api/open/profile', { token: 7 }), 'ErrorResponse', 400);
    expectSchema(await ask('POST', '/api/open/list-models', 'null'), 'ErrorResponse', 400);
  });

  // Found by the fuzzer.
  it('may say with a 200 that there is no such voice, as their document does', async () => {
    const client = await openSimulator({ shape: 'voice.missing=200' });
    const speech = { text: 'Hello.', reference_id: 'nobody' };
    expectSchema(await caller(client)('POST', '/api/open/tts', speech), 'ErrorResponse');
    const { '/api/open/tts': documented } = openApiDocument('legacy')['paths'] as Record<string, unknown>;
    expect(documented).toMatchObject({
      post: { responses: { 200: { content: { 'application/json': { schema: { anyOf: expect.any(Array) } } } } } },
    });
  });

  it('say with a 429 that credits are missing, for they have no 402', async () => {
    const words = new Set<string>();
    for (let seed = 1; seed <= 12; seed++) {
      const client = await openSimulator({ seed, credits: 0 });
      const reply = await caller(client)('POST', '/api/open/lip-sync/create', LIP_SYNC);
      expectSchema(reply, 'ErrorResponse', 429);
      words.add((reply.json as { error: string }).error);
      expect(client.simulator.ledger()).toEqual([]);
    }
    expect(words.size).toBe(3);
  });
});
