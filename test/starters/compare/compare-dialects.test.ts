import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { API_PATH } from '../../../contract/api-path.ts';
import { serve, TOKEN, type SeenRequest, type TestServer } from '../../support/api-server.ts';
import { placeAtSimulator } from '../place-for-each.ts';
import { run, json } from '../command-line.ts';

const invocation = placeAtSimulator();

/** Answers by path; what is not in the table is a page that is not there. */
async function serveApi(answers: Readonly<Record<string, unknown>>): Promise<TestServer> {
  const server = await serve((request: SeenRequest, response: ServerResponse) => {
    const path = request.url.split('?')[0] ?? '';
    const answer = answers[`${request.method} ${path}`];
    response.writeHead(answer === undefined ? 404 : 200, {
      'content-type': 'application/json',
      'x-request-id': 'req-7',
    });
    response.end(JSON.stringify(answer ?? { code: 'not_found', message: 'no such path' }));
  });
  process.env['VOXBATCH_API_URL'] = server.origin + API_PATH;
  process.env['VOXBATCH_API_TOKEN'] = TOKEN;
  return server;
}

const PROFILE = { user_id: 'u', api_quota_remaining: 3, tier: 'pro', credits: 5 };
const JOB = { id: 'j1', status: 'completed', result_url: 'https://x.example/r.mp4?sig=s3cret' };
const ALIKE = {
  'GET /api/open/v1/profile': PROFILE,
  'GET /api/open/profile': PROFILE,
  'GET /api/open/v1/voices': { total: 1, items: [{ id: 'v1', name: 'Anna', provider: 'p' }] },
  'POST /api/open/list-models': { total: 1, items: [{ modelId: 'v1', title: 'Anna' }] },
  'GET /api/open/v1/media/lip-sync/jobs': { success: true, data: { jobs: [JOB], total: 1 } },
  'GET /api/open/lip-sync/list': { success: true, data: { tasks: [JOB], pagination: { has_more: false } } },
  'GET /api/open/v1/media/lip-sync/jobs/j1': { success: true, data: JOB },
  'GET /api/open/lip-sync/query': { success: true, data: JOB },
};

describe('voxbatch compare', () => {
  it('voxbatch compare: finds both dialects of one service alike, and pays for nothing', async () => {
    const { code, stdout, stderr } = await run('compare', '--jobs', '3');
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/^v1 beside legacy at http:/);
    expect(stdout).toMatch(/\nprofile +1 +1 +alike\n/);
    expect(stdout).toMatch(/\nvoices +(\d+) +\1 +alike\n/);
    expect(stdout).toMatch(/\nOnly v1 tells: (?:.*, )?provider \(voices\)/);
    expect(stdout).toMatch(/Both say the same\. Nothing was changed\. Nothing was spent\.\n$/);
    expect(stderr).toMatch(/ {2}v1 {6}GET \/profile {2}200 {2}\d+ ms/);
    expect(stderr).toMatch(/ {2}legacy {2}POST \/api\/open\/list-models {2}200 {2}\d+ ms/);
    expect(stderr).not.toContain(invocation.simulator.token);
    expect(invocation.simulator.ledger()).toEqual([]);
  });

  it('only reads, and never sends a profile', async () => {
    const server = await serveApi(ALIKE);
    expect((await run('compare')).code).toBe(0);
    const asked = server.seen.map(({ method, url }) => `${method} ${url.split('?')[0] ?? ''}`);
    expect(new Set(asked)).toEqual(new Set(Object.keys(ALIKE)));
    expect(asked.filter((one) => one.startsWith('POST '))).toEqual(['POST /api/open/list-models']);
    expect(server.seen.map(({ body }) => body).join()).not.toContain(TOKEN);
  });

  it('logs every request, of both dialects, in the order in which they went', async () => {
    const server = await serveApi(ALIKE);
    const { value } = await json('compare', '--poll-rate', '500', '--json');
    const logged = value['requests'] as readonly { dialect: string; method: string; path: string; status: number }[];
    const pathOf = ({ dialect, path }: (typeof logged)[number]): string => (dialect === 'v1' ? API_PATH + path : path);
    // A log has no ids.
    const asked = server.seen.map(
      ({ method, url }) => `${method} ${(url.split('?')[0] ?? '').replace('/j1', '/{id}')}`,
    );
    expect(logged.map((one) => `${one.method} ${pathOf(one)}`)).toEqual(asked);
    expect(new Set(logged.map(({ dialect }) => dialect))).toEqual(new Set(['v1', 'legacy']));
  });

  it('names what differs, each field of one dialect once, and says the same for machines', async () => {
    await serveApi({
      ...ALIKE,
      'GET /api/open/profile': { ...PROFILE, tier: 'free' },
      'POST /api/open/list-models': {
        total: 2,
        items: [
          { modelId: 'v1', title: 'Ann' },
          { modelId: 'v2', title: 'Bo' },
        ],
      },
      'GET /api/open/lip-sync/query': { success: true, data: { ...JOB, status: 'failed', error_message: 'bad face' } },
    });
    const { code, stdout } = await run('compare');
    expect(code).toBe(10);
    expect(stdout).toContain('the account: tier "pro" in v1, "free" in legacy');
    expect(stdout).toContain('v1: name "Anna" in v1, "Ann" in legacy');
    expect(stdout).toContain('v2: only in legacy');
    expect(stdout).toContain('j1: status "completed" in v1, "failed" in legacy');
    expect(stdout.match(/provider/g)).toHaveLength(1);
    expect(stdout).not.toContain('s3cret');
    const { value } = await json('compare', '--json');
    expect(value).toMatchObject({ exit: 'failures', verdict: 'differs', dialects: ['v1', 'legacy'] });
    expect(value['surfaces']).toContainEqual(
      expect.objectContaining({
        surface: 'voices',
        items: [1, 2],
        only: [[], ['v2']],
        fields_only: [['provider'], []],
      }),
    );
    expect(value['requests']).toContainEqual({
      at: expect.stringMatching(/^\d{4}-/) as unknown,
      dialect: 'legacy',
      method: 'GET',
      path: '/api/open/profile',
      status: 200,
      ms: expect.any(Number) as unknown,
      request_id: 'req-7',
    });
    expect(JSON.stringify(value)).not.toMatch(new RegExp(`${TOKEN.slice(0, 8)}|s3cret`));
  });

  it.each([
    ['succeeded', 'completed'],
    ['queued', 'processing'],
    ['error', 'failed'],
  ])('takes the status %s in v1 and %s in legacy for the same', async (v1, legacy) => {
    const told = { ...JOB, error_message: 'bad face' };
    await serveApi({
      ...ALIKE,
      'GET /api/open/v1/media/lip-sync/jobs': { data: { jobs: [{ ...told, status: v1 }], total: 1 } },
      'GET /api/open/v1/media/lip-sync/jobs/j1': { data: { ...told, status: v1 } },
      'GET /api/open/lip-sync/list': { data: { tasks: [{ ...told, status: legacy }] } },
      'GET /api/open/lip-sync/query': { data: { ...told, status: legacy } },
    });
    const { code, stdout } = await run('compare');
    expect({ code, stdout }).toMatchObject({ code: 0 });
  });

  it('takes pending for queued, and does not mind what changes while it reads', async () => {
    const seen = { v1: 0 };
    const queued = { id: 'j1', status: 'queued' };
    const server = await serve((request, response) => {
      const path = `${request.method} ${request.url.split('?')[0] ?? ''}`;
      response.setHeader('content-type', 'application/json');
      if (path === 'GET /api/open/v1/profile') seen.v1 += 1;
      const answers: Readonly<Record<string, unknown>> = {
        ...ALIKE,
        // Somebody spends between the first two requests.
        'GET /api/open/v1/profile': { ...PROFILE, api_quota_remaining: seen.v1 === 1 ? 4 : 3 },
        'GET /api/open/v1/media/lip-sync/jobs': { data: { jobs: [queued], total: 1 } },
        'GET /api/open/v1/media/lip-sync/jobs/j1': { data: queued },
        'GET /api/open/lip-sync/list': { data: { tasks: [{ ...queued, status: 'pending' }] } },
        'GET /api/open/lip-sync/query': { data: { ...queued, status: 'pending' } },
      };
      response.end(JSON.stringify(answers[path]));
    });
    process.env['VOXBATCH_API_URL'] = server.origin + API_PATH;
    const { code, stdout } = await run('compare');
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(seen.v1).toBe(2);
  });

  it('says what it can where one dialect does not answer', async () => {
    await serveApi(Object.fromEntries(Object.entries(ALIKE).filter(([path]) => path.includes('/v1/'))));
    const { code, stdout } = await run('compare');
    expect(code).toBe(10);
    expect(stdout).toMatch(/\nprofile +read +unread +cannot be compared\n/);
    expect(stdout).toMatch(/\nvoices, legacy: POST \/api\/open\/list-models was answered with 404/);
  });

  it('ends with 5 where neither answers, and asks no further', async () => {
    const server = await serveApi({});
    const { code, stdout } = await run('compare');
    expect(code).toBe(5);
    expect(stdout).toContain('Neither could be read.');
    expect(server.seen).toHaveLength(2);
  });

  it.each([
    [['compare', 'one'], 'Compare "one" with which batch?'],
    [['compare', '--length', '5%'], '--length needs two batches.'],
    [['compare', 'one', 'two', '--poll-rate', '5'], '--poll-rate is for a comparison without batches.'],
    [['compare', 'one', 'two', '--jobs', '5'], '--jobs is for a comparison without batches.'],
    [['compare', 'one', 'two', '--api-url', 'http://x'], '--api-url is for a comparison without batches.'],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await run(...words);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
