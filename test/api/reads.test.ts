import { describe, expect, it } from '@jest/globals';
import { createSpeechApi } from '../../api/create-api.ts';
import { always, clientOf, LIMIT_MS, serve, serveRaw, TOKEN } from '../support/api-server.ts';

// What each answer is read as is in test/api/fixtures, how voices are read page by page in test/api/voices.

describe('readProfile', () => {
  it('GET /profile: reads the documented profile and the clock of the server', async () => {
    const profile = { user_id: 'u1', api_quota_remaining: 10, tier: 'pro', credits: 5, new_field: {} };
    const server = await serve(always(200, profile, { date: 'Wed, 01 May 2024 12:00:00 GMT' }));
    const known = { userId: 'u1', tier: 'pro', quotaRemaining: 10, credits: 5 };
    const serverTimeMs = Date.UTC(2024, 4, 1, 12);
    expect(await clientOf(server.origin).readProfile()).toEqual({ ...known, serverTimeMs, members: profile });
    expect(server.seen).toMatchObject([{ method: 'GET', url: '/api/open/v1/profile' }]);
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it('throws for a refusal, once, and without the token', async () => {
    const server = await serve(always(401, { code: 'unauthorized', message: `bad token ${TOKEN}` }));
    const reading = clientOf(server.origin).readProfile();
    await expect(reading).rejects.toMatchObject({ name: 'ApiError', failure: { class: 'BadToken', status: 401 } });
    await expect(reading).rejects.not.toThrow(TOKEN);
    expect(server.seen).toHaveLength(1);
  });

  it('throws ServiceDown for a cut or late answer, NotSent where nobody listens', async () => {
    const cut = await serveRaw((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n{"user_id":"u1"}'));
    });
    const silent = await serveRaw(() => undefined);
    const failing = { failure: { class: 'ServiceDown' } };
    await expect(clientOf(cut.origin).readProfile()).rejects.toMatchObject(failing);
    await expect(clientOf(silent.origin, { readTimeoutMs: LIMIT_MS }).readProfile()).rejects.toMatchObject(failing);
    await silent.close();
    await expect(clientOf(silent.origin).readProfile()).rejects.toMatchObject({ failure: { class: 'NotSent' } });
  });
});

it('GET /speech/tts/jobs/{taskId}: asks by id and reads what comes', async () => {
  const body = { task: { id: 'a/b', status: 'completed', audioUrl: '/f.mp3' }, record: {}, requestId: 'q' };
  const server = await serve(always(200, body, { 'x-openapi-credits-used': '4' }));
  const job = { id: 'a/b', phase: 'completed', status: 'completed', resultUrl: `${server.origin}/f.mp3`, credits: 4 };
  expect(await clientOf(server.origin).readJob('speech-job', 'a/b')).toEqual(job);
  expect(server.seen[0]?.url).toBe('/api/open/v1/speech/tts/jobs/a%2Fb');
});

it('GET /media/lip-sync/jobs/{jobId}: takes links and tokens out of the words of a failed job', async () => {
  const words = `could not fetch https://in.example/private.mp4?sig=1 with ${TOKEN}`;
  const server = await serve(always(200, { success: true, data: { id: 'j1', status: 'failed', error: words } }));
  const error = 'could not fetch https://in.example/… with ***';
  expect(await clientOf(server.origin).readJob('lip-sync-job', 'j1')).toMatchObject({ phase: 'failed', error });
});

it.each([
  ['says whether there are more', { data: { tasks: [{ id: 'j' }], pagination: { has_more: true } } }, true],
  ['says whether there are no more', { data: { tasks: [{ id: 'j' }], pagination: { hasMore: false } } }, false],
  ['says how many there are', { data: [{ id: 'j' }], total: 1 }, false],
  ['says how many pages there are', { jobs: [{ id: 'j' }], totalPages: 1 }, false],
  ['is as long as a page', [{ id: 'i' }, { id: 'j' }], true],
])('GET /media/lip-sync/jobs: asks for a page, and for more where it %s: %j', async (_, body, hasMore) => {
  const server = await serve(always(200, body));
  expect(await clientOf(server.origin).listJobs('lip-sync-job', 1, 2)).toMatchObject({ hasMore });
  expect(server.seen[0]?.url).toBe('/api/open/v1/media/lip-sync/jobs?page=1&limit=2');
});

it.each(['', 'two words', 'line\nbreak', 'tökén'])('refuses the token %j without repeating it', (token) => {
  const make = (): unknown => createSpeechApi({ baseUrl: 'https://host.example/api/open/v1', token });
  expect(make).toThrow('token is empty or has');
});
