import { describe, expect, it } from '@jest/globals';
import { createSpeechApi } from '../../api/create-api.ts';
import type { Voice } from '../../api/speech-api.ts';
import { always, clientOf, LIMIT_MS, serve, serveRaw, TOKEN } from '../support/api-server.ts';

describe('readProfile', () => {
  it('GET /profile: reads the documented profile and the clock of the server', async () => {
    const profile = { user_id: 'u1', api_quota_remaining: 10, tier: 'pro', credits: 5, new_field: {} };
    const server = await serve(always(200, profile, { date: 'Wed, 01 May 2024 12:00:00 GMT' }));
    expect(await clientOf(server.origin).readProfile()).toEqual({
      userId: 'u1',
      tier: 'pro',
      quotaRemaining: 10,
      credits: 5,
      serverTimeMs: Date.UTC(2024, 4, 1, 12),
      members: profile,
    });
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({ method: 'GET', url: '/api/open/v1/profile' });
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it.each([[{ success: true, data: { user_id: 7 } }], [{ profile: { userId: '7' } }]])('reads %j', async (body) => {
    const server = await serve(always(200, body));
    expect(await clientOf(server.origin).readProfile()).toMatchObject({ userId: '7' });
  });

  it.each([
    [401, { code: 'unauthorized', message: `bad token ${TOKEN}` }, 'BadToken'],
    [404, '<html>', 'BadRequest'],
    [200, '<html>the web site</html>', 'ServiceDown'],
    [200, {}, 'ServiceDown'],
    [200, { success: false, message: 'no' }, 'BadRequest'],
    [500, '', 'ServiceDown'],
  ])('throws for %d with %j: %s', async (status, body, failureClass) => {
    const server = await serve(always(status, body));
    const error: unknown = await clientOf(server.origin)
      .readProfile()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ApiError', failure: { class: failureClass, status } });
    expect(String(error)).not.toContain(TOKEN);
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

describe('readJob', () => {
  it('GET /speech/tts/jobs/{taskId}: asks by id and reads what comes', async () => {
    const body = { task: { id: 'a/b', status: 'completed', audioUrl: '/f.mp3' }, record: {}, requestId: 'q' };
    const server = await serve(always(200, body, { 'x-openapi-credits-used': '4' }));
    expect(await clientOf(server.origin).readJob('speech-job', 'a/b')).toEqual({
      id: 'a/b',
      phase: 'completed',
      status: 'completed',
      resultUrl: `${server.origin}/f.mp3`,
      credits: 4,
    });
    expect(server.seen[0]?.url).toBe('/api/open/v1/speech/tts/jobs/a%2Fb');
  });

  it('GET /media/lip-sync/jobs/{jobId}: takes links and tokens out of the words of a failed job', async () => {
    const error = `could not fetch https://in.example/private.mp4?sig=1 with ${TOKEN}`;
    const server = await serve(always(200, { success: true, data: { id: 'j1', status: 'failed', error } }));
    expect(await clientOf(server.origin).readJob('lip-sync-job', 'j1')).toEqual({
      id: 'j1',
      phase: 'failed',
      status: 'failed',
      error: 'could not fetch https://in.example/… with ***',
    });
  });

  it.each([
    [200, { success: false, message: 'try again' }, 'BadRequest'],
    [200, { success: false, status: 'failed', message: 'try again' }, 'BadRequest'],
    [200, { status: 'error', message: 'internal' }, 'ServiceDown'],
    [200, '<html>', 'ServiceDown'],
    [404, { code: 'not_found', message: 'no such job' }, 'BadRequest'],
    [500, { id: 'j1', status: 'failed' }, 'ServiceDown'],
  ])('a failed read is no failed job: %d with %j', async (status, body, failureClass) => {
    const server = await serve(always(status, body));
    await expect(clientOf(server.origin).readJob('lip-sync-job', 'j1')).rejects.toMatchObject({
      failure: { class: failureClass },
    });
  });

  it('waits on a running job that carries a warning', async () => {
    const server = await serve(always(200, { id: 'j1', status: 'processing', error: 'slow today' }));
    expect(await clientOf(server.origin).readJob('lip-sync-job', 'j1')).toMatchObject({ phase: 'running' });
  });
});

describe('listJobs', () => {
  const jobs = [
    {
      id: 'j2',
      status: 'queued',
      created_at: '2024-05-01T12:00:00Z',
      video_url: 'https://in/v',
      audio_url: 'https://in/a',
    },
    { id: 'j1', status: 'completed', created_at: 1_714_564_800, result_url: 'https://cdn/v' },
  ];
  const read = [
    {
      id: 'j2',
      phase: 'running',
      status: 'queued',
      createdAtMs: Date.UTC(2024, 4, 1, 12),
      videoUrl: 'https://in/v',
      audioUrl: 'https://in/a',
    },
    {
      id: 'j1',
      phase: 'completed',
      status: 'completed',
      createdAtMs: Date.UTC(2024, 4, 1, 12),
      resultUrl: 'https://cdn/v',
    },
  ];

  it.each([
    [{ success: true, data: { tasks: jobs, pagination: { page: 1, limit: 2, total: 3, has_more: true } } }, true],
    [{ success: true, data: { tasks: jobs, pagination: { hasMore: false } } }, false],
    [{ data: jobs, total: 2 }, false],
    [{ items: jobs, total: 3, page: 1, pageSize: 2 }, true],
    [{ jobs, totalPages: 1 }, false],
    [jobs, true],
  ])('GET /media/lip-sync/jobs: reads %j', async (body, hasMore) => {
    const server = await serve(always(200, body));
    expect(await clientOf(server.origin).listJobs('lip-sync-job', 1, 2)).toEqual({ jobs: read, hasMore });
    expect(server.seen[0]?.url).toBe('/api/open/v1/media/lip-sync/jobs?page=1&limit=2');
  });

  it('GET /media/lip-sync/jobs: reads an empty list', async () => {
    const server = await serve(always(200, { success: true, data: { tasks: [] } }));
    expect(await clientOf(server.origin).listJobs('lip-sync-job', 1, 20)).toEqual({ jobs: [], hasMore: false });
  });

  it.each([[{ success: true, data: {} }], [{ data: [{ status: 'queued' }] }], [{ data: ['j1'] }], ['<html>'], [{}]])(
    'does not take %j for an empty list',
    async (body) => {
      const server = await serve(always(200, body));
      await expect(clientOf(server.origin).listJobs('lip-sync-job', 1, 20)).rejects.toMatchObject({
        failure: { class: 'ServiceDown' },
      });
    },
  );
});

describe('listVoices', () => {
  const all = Array.from({ length: 250 }, (_, index) => ({ id: `v${index}`, name: `Voice ${index}`, provider: 'p' }));

  async function collect(origin: string, search?: string): Promise<Voice[]> {
    const voices: Voice[] = [];
    for await (const voice of clientOf(origin).listVoices({ search })) voices.push(voice);
    return voices;
  }

  it.each<[string, (query: URLSearchParams) => unknown]>([
    [
      'limit and offset',
      (query) => {
        const offset = Number(query.get('offset'));
        const items = all.slice(offset, offset + Number(query.get('limit')));
        return { total: all.length, page: 1, pageSize: 100, totalPages: 3, items };
      },
    ],
    [
      'page and a page size of its own',
      (query) => {
        const page = Number(query.get('page'));
        return { total: all.length, items: all.slice((page - 1) * 20, page * 20) };
      },
    ],
    ['no paging at all', () => all],
    ['page and no total', (query) => ({ data: all.slice(Number(query.get('offset'))).slice(0, 100) })],
  ])('GET /voices: reads all from a service with %s', async (_what, page) => {
    const server = await serve((request, response) => {
      always(200, page(new URL(request.url, 'http://x').searchParams))(request, response);
    });
    expect(await collect(server.origin)).toEqual(all);
    // Pages that only have numbers are read twice: a list may move meanwhile.
    expect(server.seen.length).toBeLessThan(30);
  });

  it('reads other names of the members', async () => {
    const items = [{ voiceId: 'a', title: 'A' }, { modelId: 'b' }, { voice: { id: 'c', name: 'C' } }, { name: 'none' }];
    const server = await serve(always(200, { data: { items }, total: 4 }));
    expect(await collect(server.origin)).toEqual([
      { id: 'a', name: 'A', provider: '' },
      { id: 'b', name: 'b', provider: '' },
      { id: 'c', name: 'C', provider: '' },
    ]);
    const before = server.seen.length;
    // This one ignores what is searched for.
    expect(await collect(server.origin, 'a b')).toEqual([]);
    expect(new URL(server.seen[before]?.url ?? '', 'http://x').searchParams.get('search')).toBe('a b');
  });

  it('throws for a page that is no list', async () => {
    const server = await serve(always(200, { total: 0 }));
    await expect(collect(server.origin)).rejects.toMatchObject({ failure: { class: 'ServiceDown' } });
  });
});

describe('createSpeechApi', () => {
  it.each(['', 'two words', 'line\nbreak', 'tökén'])('refuses the token %j without repeating it', (token) => {
    const make = (): unknown => createSpeechApi({ baseUrl: 'https://host.example/api/open/v1', token });
    expect(make).toThrow('token is empty or has');
  });

  it('gives the address without a trailing slash', () => {
    const api = createSpeechApi({ baseUrl: 'https://host.example/api/open/v1/', token: TOKEN });
    expect(api.baseUrl).toBe('https://host.example/api/open/v1');
    api.close();
  });
});
