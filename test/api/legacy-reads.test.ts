import { describe, expect, it } from '@jest/globals';
import type { ApiOptions } from '../../api/connection.ts';
import type { SpeechApi, Voice } from '../../api/speech-api.ts';
import { openSimulator, type Client } from '../simulator/with-simulator.ts';
import { always, clientOf, LIP_SYNC, serve, TOKEN, TRANSCRIPTION } from '../support/api-server.ts';

const LEGACY = { dialect: 'legacy' } as const satisfies Partial<ApiOptions>;

/** Both dialects of one client of a simulator. */
async function both(): Promise<{ readonly v1: SpeechApi; readonly legacy: SpeechApi } & Client> {
  const client = await openSimulator({ seed: 5 });
  const v1 = clientOf(new URL(client.simulator.url).origin, { token: client.simulator.token });
  return { ...client, v1, legacy: v1.speaking('legacy') };
}

async function voicesOf(api: SpeechApi, search?: string): Promise<readonly Voice[]> {
  const voices: Voice[] = [];
  for await (const voice of api.listVoices({ search })) voices.push(voice);
  return voices;
}

/** Creates a job and returns its id. */
async function created(api: SpeechApi): Promise<string> {
  const verdict = await api.send(LIP_SYNC, {});
  if (verdict.verdict !== 'accepted') throw new Error(JSON.stringify(verdict));
  return verdict.jobId;
}

describe('the reads of the legacy paths', () => {
  it('GET /api/open/profile: is the account of v1, read without a body', async () => {
    const { v1, legacy } = await both();
    const { userId, quotaRemaining, tier } = await v1.readProfile();
    expect(await legacy.readProfile()).toMatchObject({ userId, quotaRemaining, tier });
    const server = await serve(always(200, { user_id: 'u', api_quota_remaining: 3, tier: 'pro', credits: 5 }));
    expect(await clientOf(server.origin, LEGACY).readProfile()).toMatchObject({ userId: 'u', quotaRemaining: 3 });
    expect(server.seen).toMatchObject([{ method: 'GET', url: '/api/open/profile', body: '' }]);
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it('POST /api/open/profile: is never sent, because it changes nothing there', async () => {
    const { legacy, simulator, origin } = await both();
    const { userId } = await legacy.readProfile();
    const body = { token: simulator.token, webhookUrl: 'https://hooks.example/a' };
    expect((await origin('POST', '/api/open/profile', body)).json).toMatchObject({ user_id: userId });
    expect((await origin('POST', '/api/open/profile', { token: 'other' })).status).toBe(401);
    const server = await serve(always(200, { success: true }));
    await expect(clientOf(server.origin, LEGACY).updateProfile({ webhookUrl: body.webhookUrl })).rejects.toMatchObject({
      failure: { class: 'BadRequest' },
    });
    expect(server.seen).toEqual([]);
    expect((await legacy.speaking('v1').readProfile()).webhookUrl).not.toBe(body.webhookUrl);
  });

  it('POST /api/open/list-models: lists the same voices as v1', async () => {
    const { v1, legacy } = await both();
    const idsOf = (voices: readonly Voice[]): readonly string[] => voices.map(({ id }) => id);
    expect(idsOf(await voicesOf(legacy))).toEqual(idsOf(await voicesOf(v1)));
    expect(await voicesOf(legacy, 'NARR')).toEqual([
      { id: 'narrator', name: 'Narrator', provider: '', createdAtMs: Date.UTC(2024, 0, 1) },
    ]);
  });

  it('POST /api/open/list-models: pages by page and pageSize, and its body has no token', async () => {
    const server = await serve((request, response) => {
      const { page } = JSON.parse(request.body) as { page: number };
      const items = page > 2 ? [] : [{ modelId: `m${page}`, title: `Voice ${page}` }];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ total: 2, page, pageSize: 1, totalPages: 2, items }));
    });
    const read = await voicesOf(clientOf(server.origin, LEGACY));
    expect(read).toMatchObject([{ id: 'm1' }, { id: 'm2', name: 'Voice 2' }]);
    for (const seen of server.seen) expect(seen).toMatchObject({ method: 'POST', url: '/api/open/list-models' });
    const asked = { modelType: 'all', includePersonal: true, page: 2, pageSize: 100 };
    expect(JSON.parse(server.seen[1]?.body ?? '')).toEqual(asked);
    expect(server.seen[0]?.headers['content-type']).toBe('application/json');
    expect(server.seen[0]?.headers['idempotency-key']).toBeUndefined();
    expect(server.seen.map(({ body }) => body).join()).not.toContain(TOKEN);
  });

  it('GET /api/open/lip-sync/query: reads jobs of both dialects, and v1 reads those of legacy', async () => {
    const { v1, legacy } = await both();
    const ids = [await created(v1), await created(legacy)];
    for (const id of ids) {
      const reading = await legacy.readJob('lip-sync-job', id);
      expect(reading).toMatchObject({ id, phase: 'completed', status: 'completed' });
      expect(reading.resultUrl).toMatch(/\.mp4\?/);
      expect(await v1.readJob('lip-sync-job', id)).toMatchObject({ id, phase: 'completed' });
    }
  });

  it('GET /api/open/lip-sync/query: asks by id in the query, and an unknown one is no failed job', async () => {
    const server = await serve(always(404, { error: 'Task not found', details: `for ${TOKEN}` }));
    const error: unknown = await clientOf(server.origin, LEGACY)
      .readJob('lip-sync-job', 'a/b')
      .catch((thrown: unknown) => thrown);
    expect(server.seen[0]?.url).toBe('/api/open/lip-sync/query?id=a%2Fb');
    expect(error).toMatchObject({ failure: { class: 'BadRequest', status: 404 } });
    expect(String(error)).toContain('GET /api/open/lip-sync/query was answered with 404');
    expect(String(error)).not.toContain(TOKEN);
  });

  it('GET /api/open/lip-sync/list: lists the jobs of both dialects by page', async () => {
    const { v1, legacy } = await both();
    const made = [await created(v1), await created(legacy), await created(v1)].toReversed();
    const first = await legacy.listJobs('lip-sync-job', 1, 2);
    const second = await legacy.listJobs('lip-sync-job', 2, 2);
    expect([first.hasMore, second.hasMore]).toEqual([true, false]);
    expect([...first.jobs, ...second.jobs].map(({ id }) => id)).toEqual(made);
    expect(first.jobs[0]).toMatchObject({ status: 'completed', createdAtMs: expect.any(Number) as unknown });
  });

  it('keep what stands before /api/open in the base address', async () => {
    const server = await serve(always(200, { user_id: 'u' }));
    const baseUrl = `${server.origin}/tenants/7/api/open/v1`;
    await clientOf(server.origin, { ...LEGACY, baseUrl }).readProfile();
    expect(server.seen[0]?.url).toBe('/tenants/7/api/open/profile');
  });

  it('follow no redirect, and name their own path in a failure', async () => {
    const other = await serve(always(200, { user_id: 'u' }));
    const server = await serve(always(302, '', { location: `${other.origin}/api/open/profile` }));
    await expect(clientOf(server.origin, LEGACY).readProfile()).rejects.toMatchObject({
      failure: { class: 'ServiceDown', cause: '302 from GET /api/open/profile' },
    });
    expect(other.seen).toEqual([]);
  });
});

it('an operation that the legacy paths lack is neither sent nor read', async () => {
  const server = await serve(always(200, { id: 'j', status: 'completed' }));
  const api = clientOf(server.origin, LEGACY);
  await expect(api.readJob('speech-job', 'j')).rejects.toMatchObject({
    failure: { class: 'BadRequest', message: 'The legacy paths of the API have no speech-job; nothing was sent.' },
  });
  const refused = { verdict: 'rejected', failure: { class: 'BadRequest' } };
  expect(await api.send(TRANSCRIPTION, {})).toMatchObject(refused);
  expect(server.seen).toEqual([]);
});

it('speaking is one client for each dialect, and closes with the first', async () => {
  const server = await serve(always(200, { user_id: 'u' }));
  const v1 = clientOf(server.origin);
  const legacy = v1.speaking('legacy');
  expect(legacy.speaking('v1')).toBe(v1);
  expect(v1.speaking('legacy')).toBe(legacy);
  expect([v1.dialect, legacy.dialect]).toEqual(['v1', 'legacy']);
  await legacy.readProfile();
  await v1.readProfile();
  expect(server.connections()).toBe(1);
});
