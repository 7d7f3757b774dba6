import { describe, expect, it } from '@jest/globals';
import { API_PATH } from '../../../contract/urls.ts';
import { serve, TOKEN, type TestServer } from '../../support/api-server.ts';
import { expectRun, json, lineForEach, simulate } from '../command-line.ts';

lineForEach();

type Answers = Readonly<Record<string, unknown>>;

/** Answers by path; what is not in the table is a page that is not there. */
async function serveApi(table: Answers): Promise<TestServer> {
  const server = await serve((request, response) => {
    const answer = table[`${request.method} ${request.url.split('?')[0] ?? ''}`];
    const headers = { 'content-type': 'application/json', 'x-request-id': 'req-7' };
    response.writeHead(answer === undefined ? 404 : 200, headers);
    response.end(JSON.stringify(answer ?? { code: 'not_found', message: 'no such path' }));
  });
  Object.assign(process.env, { VOXBATCH_API_URL: server.origin + API_PATH, VOXBATCH_API_TOKEN: TOKEN });
  return server;
}

const PROFILE = { user_id: 'u', api_quota_remaining: 3, tier: 'pro', credits: 5 };
const JOB = { id: 'j1', status: 'completed', result_url: 'https://x.example/r.mp4?sig=s3cret' };

/** What both dialects say of a job. */
function jobs(v1: object, legacy: object): Answers {
  return {
    'GET /api/open/v1/media/lip-sync/jobs': { success: true, data: { jobs: [v1], total: 1 } },
    'GET /api/open/lip-sync/list': { success: true, data: { tasks: [legacy], pagination: { has_more: false } } },
    'GET /api/open/v1/media/lip-sync/jobs/j1': { success: true, data: v1 },
    'GET /api/open/lip-sync/query': { success: true, data: legacy },
  };
}

const ALIKE: Answers = {
  'GET /api/open/v1/profile': PROFILE,
  'GET /api/open/profile': PROFILE,
  'GET /api/open/v1/voices': { total: 1, items: [{ id: 'v1', name: 'Anna', provider: 'p' }] },
  'POST /api/open/list-models': { total: 1, items: [{ modelId: 'v1', title: 'Anna' }] },
  ...jobs(JOB, JOB),
};

describe('voxbatch compare', () => {
  it('voxbatch compare: finds both dialects of one service alike, and pays for nothing', async () => {
    const { token } = await simulate();
    const out = [
      /^v1 beside legacy at http:/,
      /\nprofile +1 +1 +alike\n/,
      /\nvoices +(\d+) +\1 +alike\n/,
      /\nOnly v1 tells: (?:.*, )?provider \(voices\)/,
      /Both say the same\. Nothing was changed\. Nothing was spent\.\n$/,
    ];
    const legacy = / {2}legacy {2}POST \/api\/open\/list-models {2}200 {2}\d+ ms/;
    const err = [/ {2}v1 {6}GET \/profile {2}200 {2}\d+ ms/, legacy];
    await expectRun('compare --jobs 3', 0, { out, err, not: token });
  });

  it('only reads, never sends a profile, and logs every request, of both dialects, in the order in which they went', async () => {
    const server = await serveApi(ALIKE);
    const { code, value } = await json('compare --poll-rate 500');
    expect(code).toBe(0);
    const asked = server.seen.map(({ method, url }) => `${method} ${url.split('?')[0] ?? ''}`);
    expect(new Set(asked)).toEqual(new Set(Object.keys(ALIKE)));
    expect(asked.filter((one) => one.startsWith('POST '))).toEqual(['POST /api/open/list-models']);
    expect(server.seen.map(({ body }) => body).join()).not.toContain(TOKEN);
    const logged = value['requests'] as readonly { dialect: string; method: string; path: string }[];
    const told = logged.map((one) => `${one.method} ${one.dialect === 'v1' ? API_PATH : ''}${one.path}`);
    // A log has no ids.
    expect(told).toEqual(asked.map((one) => one.replace('/j1', '/{id}')));
  });

  it('names what differs, each field of one dialect once, and says the same for machines', async () => {
    const items = [
      { modelId: 'v1', title: 'Ann' },
      { modelId: 'v2', title: 'Bo' },
    ];
    await serveApi({
      ...ALIKE,
      'GET /api/open/profile': { ...PROFILE, tier: 'free' },
      'POST /api/open/list-models': { total: 2, items },
      'GET /api/open/lip-sync/query': { success: true, data: { ...JOB, status: 'failed', error_message: 'bad face' } },
    });
    const out = [
      'the account: tier "pro" in v1, "free" in legacy',
      'v1: name "Anna" in v1, "Ann" in legacy',
      'v2: only in legacy',
      'j1: status "completed" in v1, "failed" in legacy',
    ];
    const { stdout } = await expectRun('compare', 10, { out, not: 's3cret' });
    expect(stdout.match(/provider/g)).toHaveLength(1);
    const { value } = await json('compare');
    expect(value).toMatchObject({ exit: 'failures', verdict: 'differs', dialects: ['v1', 'legacy'] });
    const voices = { surface: 'voices', items: [1, 2], only: [[], ['v2']], fields_only: [['provider'], []] };
    expect(value['surfaces']).toContainEqual(expect.objectContaining(voices));
    expect(value['requests']).toContainEqual({
      ...{ dialect: 'legacy', method: 'GET', path: '/api/open/profile', status: 200, request_id: 'req-7' },
      at: expect.stringMatching(/^\d{4}-/),
      ms: expect.any(Number),
    });
    expect(JSON.stringify(value)).not.toMatch(new RegExp(`${TOKEN.slice(0, 8)}|s3cret`));
  });

  it.each([
    ['succeeded', 'completed'],
    ['queued', 'processing'],
    ['queued', 'pending'],
    ['error', 'failed'],
  ])('takes the status %s in v1 and %s in legacy for the same', async (v1, legacy) => {
    const job = { id: 'j1', error_message: 'bad face' };
    await serveApi({ ...ALIKE, ...jobs({ ...job, status: v1 }, { ...job, status: legacy }) });
    await expectRun('compare', 0);
  });

  it('does not mind what changes while it reads', async () => {
    // Somebody spends between the first two requests.
    let left = 5;
    const v1 = {
      ...PROFILE,
      get api_quota_remaining() {
        return Math.max(3, (left -= 1));
      },
    };
    const server = await serveApi({ ...ALIKE, 'GET /api/open/v1/profile': v1 });
    await expectRun('compare', 0);
    expect(server.seen.filter(({ url }) => url === `${API_PATH}/profile`)).toHaveLength(2);
  });

  it('says what it can where one dialect does not answer', async () => {
    await serveApi(Object.fromEntries(Object.entries(ALIKE).filter(([path]) => path.includes('/v1/'))));
    const why = /\nvoices, legacy: POST \/api\/open\/list-models was answered with 404/;
    await expectRun('compare', 10, { out: [/\nprofile +read +unread +cannot be compared\n/, why] });
  });

  it('ends with 5 where neither answers, and asks no further', async () => {
    const server = await serveApi({});
    await expectRun('compare', 4, { out: 'Neither could be read.' });
    expect(server.seen).toHaveLength(2);
  });

  it.each([
    ['one', 'Compare "one" with which batch?'],
    ['--length 5%', '--length needs two batches.'],
    ['one two --poll-rate 5', '--poll-rate is for a comparison without batches.'],
    ['one two --jobs 5', '--jobs is for a comparison without batches.'],
    ['one two --api-url http://x', '--api-url is for a comparison without batches.'],
  ])('refuses %s', (words, message) => expectRun(`compare ${words}`, 2, message));
});
