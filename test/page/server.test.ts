import { describe, expect, it } from '@jest/globals';
import type { ReasonFigures } from '../../contract/batch-figures.ts';
import {
  CSRF_HEADER,
  type MessagesAnswer,
  type RowAnswer,
  type RowsAnswer,
  type ScheduleStatesAnswer,
  type StatusAnswer,
  type UnknownAnswer,
  type VoicesAnswer,
} from '../../page/protocol.ts';
import { accept, backTo, FILE, finish, lose, redrive, reject, succeed } from '../ledger/actions.ts';
import { aKey, aRow, ledger, ledgerForEachTest, load } from '../ledger/setup.ts';
import { settle as settleSchedule } from '../support/schedule-on-record.ts';
import { PageWorld } from './page-world.ts';

ledgerForEachTest();

/** A page of rows of which the first has its result. */
async function world(rows = 4): Promise<PageWorld> {
  await load(rows);
  await succeed(1);
  return PageWorld.open();
}

/** The page of what the ledger has, or another one, once a browser is in. */
async function enter(page: Promise<PageWorld> = PageWorld.open()): Promise<PageWorld> {
  const opened = await page;
  await opened.enter();
  return opened;
}

describe('the page lets in', () => {
  it('one browser, by a ticket that works once, and nobody without its cookie', async () => {
    const page = await world();
    expect((await page.ask('/api/session')).status).toBe(401);
    const { headers } = await page.enter();
    expect(headers['set-cookie']?.[0]).toMatch(/^voxbatch-\d+=\S+; HttpOnly; SameSite=Strict; Path=\/$/);
    expect((await page.ask('/api/session')).status).toBe(200);
    const { cookie: own, token } = page;
    // Any server of this machine may have been sent the cookie: alone it opens nothing.
    for (const other of [undefined, 'x'])
      expect((await page.ask('/api/session', { [CSRF_HEADER]: other })).status).toBe(401);
    expect((await page.ask(`/api/session?token=${token ?? ''}`, { [CSRF_HEADER]: undefined })).status).toBe(200);
    expect((await page.enter()).headers['set-cookie']).toBeUndefined();
    for (const cookie of [undefined, `${own ?? ''}x`, own?.replace(/=.*/, '='), 'voxbatch=1']) {
      page.cookie = cookie;
      expect((await page.ask('/api/rows?batch=b')).status).toBe(401);
    }
  });

  it('no other site: neither by a name of its own, nor by a request that it makes', async () => {
    const page = await enter(world());
    const { host } = new URL(page.origin);
    for (const headers of [
      { host: 'evil.example' },
      { host: `evil.example:${new URL(page.origin).port}` },
      { host: '127.0.0.1' },
      { host: `${host}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])
      for (const path of ['/api/rows?batch=b', '/', '/api/media?batch=b&id=r1'])
        expect([path, (await page.ask(path, headers)).status]).toEqual([path, 403]);
    expect((await page.ask('/api/session', { host: `localhost:${new URL(page.origin).port}` })).status).toBe(200);
  });

  it('no posts that nobody has a use for', async () => {
    const page = await enter(world());
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await page.ask('/api/rows?batch=b', { origin: page.origin }, method, '{}')).status).toBeGreaterThan(402);
  });

  it('the browser load nothing from elsewhere, and be framed by nobody', async () => {
    const page = await world();
    const { headers } = await page.enter();
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });
});

describe('the page shows', () => {
  it('how a batch stands, why rows have no result, its rows and one row', async () => {
    await load(4);
    await succeed(1);
    await reject(2);
    await lose(3);
    const page = await enter();
    const { first } = await page.listen('/api/stream?batch=b');
    const status = JSON.parse(/^event: status\ndata: (.*)$/m.exec(first)?.[1] ?? '') as StatusAnswer;
    expect(status).toMatchObject({ batch: 'b', rows: 4, done: 1, ended: 3, state: 'open', limits: { submits: 8 } });
    expect(status.notes.join()).toContain('voxbatch');
    const reasons = await page.json<ReasonFigures[]>('/api/reasons?batch=b');
    expect(reasons.map(({ standing, class: name, rows }) => [standing, name, rows])).toEqual([
      ['failed', 'BadRequest', 1],
      ['unknown', 'OutcomeUnknown', 1],
    ]);
    const { rows, next } = await page.json<RowsAnswer>('/api/rows?batch=b');
    expect([rows.map(({ id, outcome, media }) => [id, outcome, media]), next]).toEqual([
      [
        ['r1', 'succeeded', 'audio'],
        ['r2', 'failed', null],
        ['r3', 'unknown', null],
        ['r4', null, null],
      ],
      null,
    ]);
    const failed = await page.json<RowsAnswer>('/api/rows?batch=b&outcome=failed&class=BadRequest');
    expect(failed.rows.map(({ id }) => id)).toEqual(['r2']);
    const { messages, others } = await page.json<MessagesAnswer>(
      '/api/messages?batch=b&outcome=failed&class=BadRequest&cause=',
    );
    expect([messages, others]).toEqual([[{ message: 'No.', pattern: 'No.', rows: 1 }], 0]);
    const row = await page.json<RowAnswer>('/api/row?batch=b&id=r3');
    expect(row).toMatchObject({ id: 'r3', outcome: 'unknown', input: { text: 'Row 3' } });
    expect(row.attempts).toMatchObject([{ verdict: 'unknown', quoted: 2.5 }]);
    expect(row.next).toContain('voxbatch reconcile b');
    expect(await page.json('/api/row?batch=b&id=nobody')).toBeNull();
    expect(await page.json('/api/chart?batch=b')).toMatchObject({ widthMs: 1_000 });
    expect(await page.json('/api/batches')).toMatchObject([{ batch: 'b', done: 1 }]);
    const unknown = await page.json<UnknownAnswer[]>('/api/unknown');
    expect(unknown).toMatchObject([{ batch: 'b', rows: 1, shown: [{ id: 'r3', attempts: [{ verdict: 'unknown' }] }] }]);
    expect(unknown[0]?.shown[0]?.next).toMatch(/--resubmit/);
    expect(await page.json('/api/schedules')).toEqual([]);
    const voices = await page.json<VoicesAnswer>('/api/voices?batch=b');
    expect(voices).toMatchObject({ voices: [{ voice: 'v', name: null, rows: 4 }], areAll: true });
  });

  it('the figures of an ended batch at once, however long its next steps take', async () => {
    await load(2);
    await succeed(1);
    await reject(2);
    await ledger.closeBatch('b');
    const page = await enter(PageWorld.open({ slow: () => new Promise(() => undefined) }));
    const { first } = await page.listen('/api/stream?batch=b');
    expect(first).toContain('"state":"closed"');
    expect(first).toContain('"done":1');
  });

  it('rows in any order, also of those that have a reason', async () => {
    await load([2, 1, 2].map((quoted, at) => ({ ...aRow(at + 1), quoted })));
    for (const row of [1, 2, 3]) await reject(row);
    const page = await enter();
    const idsOf = async (query: string): Promise<string[]> => {
      const { rows, next } = await page.json<RowsAnswer>(`/api/rows?batch=b&${query}`);
      expect(next).toBeNull();
      return rows.map(({ id }) => id);
    };
    expect(await idsOf('order=priciest')).toEqual(['r1', 'r3', 'r2']);
    expect(await idsOf('order=cheapest&class=BadRequest')).toEqual(['r2', 'r1', 'r3']);
    expect(await idsOf('order=cheapest&afterRow=2&afterId=&afterValue=1')).toEqual(['r1', 'r3']);
    expect(await idsOf('order=newest&class=BadRequest')).toHaveLength(3);
    expect(await idsOf('order=toString')).toEqual(['r1', 'r2', 'r3']);
  });

  it.each(['', 'order=newest', 'prefix=r', 'class=BadRequest', 'order=priciest', 'order=newest&class=BadRequest'])(
    'the rest of a page that is cut anywhere, so that each row is there once: %s',
    async (query) => {
      await load([2, 1, 2, 2, 1].map((quoted, at) => ({ ...aRow(at + 1), quoted })));
      for (const row of [1, 2, 3, 4, 5]) await reject(row);
      const page = await enter();
      const read = async (limit: number | string, cursor = ''): Promise<readonly string[]> => {
        const { rows, next } = await page.json<RowsAnswer>(`/api/rows?batch=b&${query}&limit=${limit}${cursor}`);
        if (typeof limit === 'number') expect(rows.length).toBeLessThanOrEqual(limit);
        const ids = rows.map(({ id }) => id);
        if (next === null) return ids;
        const value = next.value === null ? '' : `&afterValue=${next.value}`;
        const after = `&afterRow=${next.row}&afterId=${next.id}&afterEnd=${next.endedAt}${value}`;
        return [...ids, ...(await read(limit === 3 ? 1 : 3, after))];
      };
      const all = await read('none');
      expect(all).toHaveLength(5);
      for (const limit of [1, 2, 3]) expect(await read(limit)).toEqual(all);
    },
  );

  it('schedules as they are on record, and says why it does not know when they fire next', async () => {
    await settleSchedule(ledger, 'nightly');
    await ledger.pauseFirings('nightly', Date.now(), 'new voices');
    const page = await enter();
    expect(await page.json('/api/schedules')).toMatchObject([
      { schedule: 'nightly', times: 'every 1s', paused: true, note: 'new voices', occurrences: [] },
    ]);
    expect(await page.json('/api/schedule-states')).toEqual({
      problem: 'no Temporal server runs here. Start one, with a worker: voxbatch up',
      states: [],
    });
    const other = await enter(PageWorld.open({ cluster: { address: '127.0.0.1:1' } }));
    const { problem } = await other.json<ScheduleStatesAnswer>('/api/schedule-states');
    expect(problem).toContain('Temporal at 127.0.0.1:1 cannot be reached');
  });

  it('news to every tab from one look, and none of a batch that is not there', async () => {
    const page = await enter(world());
    const [one, other] = await Promise.all([page.listen('/api/stream?batch=b'), page.listen('/api/stream?batch=b')]);
    expect(one.first).toBe(other.first);
    expect((await page.ask('/api/stream?batch=no')).status).toBe(404);
    expect((await page.ask('/api/rows?batch=no')).status).toBe(404);
  });

  it('media by row, whole or in part', async () => {
    const page = await enter(world());
    const path = '/api/media?batch=b&id=r1';
    expect(await page.ask(path)).toMatchObject({ status: 200, body: 'abc', headers: { 'content-type': 'audio/mpeg' } });
    const part = await page.ask(path, { range: 'bytes=1-1' });
    expect(part).toMatchObject({ status: 206, body: 'b', headers: { 'content-range': 'bytes 1-1/3' } });
    expect(await page.ask(path, { range: 'bytes=-2' })).toMatchObject({ status: 206, body: 'bc' });
    expect((await page.ask(path, { range: 'bytes=7-' })).status).toBe(416);
    expect(await page.ask(path, {}, 'HEAD')).toMatchObject({
      status: 200,
      body: '',
      headers: { 'content-length': '3' },
    });
    for (const other of [
      '/api/media?batch=b&id=r2',
      '/api/media?batch=b&id=r1&file=7',
      '/api/media?batch=b&id=r1&take=2',
    ])
      expect((await page.ask(other)).status).toBe(404);
  });

  it('by how much a result is longer than its row allows', async () => {
    await load([{ ...aRow(1), spec: { ...aRow(1).spec, max_seconds: 1 } }]);
    await succeed(1, 1, { ...FILE, seconds: 2.5 });
    const page = await enter();
    const oddity = 'It plays 1.5 s longer than its max_seconds (1 s).';
    expect((await page.json<RowsAnswer>('/api/rows?batch=b')).rows).toMatchObject([{ oddity }]);
    expect(await page.json<RowAnswer>('/api/row?batch=b&id=r1')).toMatchObject({ oddity });
  });

  it('media of each take by its number, also after a person went back to an earlier one', async () => {
    const page = await world(1);
    const key = aKey(1, 1, 2);
    const second = { ...FILE, key: 'b/second.mp3', bytes: 2, sha256: 'd'.repeat(64) };
    await redrive(1);
    await accept(key);
    await finish(key, { file: second });
    await page.enter();
    const etags = async (): Promise<unknown> =>
      Promise.all(
        ['', '&take=1', '&take=2'].map(async (take) => {
          const { headers } = await page.ask(`/api/media?batch=b&id=r1${take}`, { range: 'bytes=9-' });
          return headers.etag;
        }),
      );
    const [one, two] = [FILE, second].map(({ sha256 }) => `"${sha256}"`);
    expect(await etags()).toEqual([two, one, two]);
    await redrive(1, backTo(1));
    expect(await etags()).toEqual([one, one, two]);
    expect(await page.json<RowAnswer>('/api/row?batch=b&id=r1')).toMatchObject({
      ...{
        takeInUse: 1,
        takeResults: [
          { take: 1, inUse: true },
          { take: 2, inUse: false },
        ],
      },
    });
  });

  it('no file by a path', async () => {
    const page = await enter(world());
    for (const path of [
      '/../../etc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/page.js/../../package.json',
      `/${FILE.key}`,
      '//etc/passwd',
      '//',
      'http://evil.example/api/session',
      '/api/media?batch=..&id=..%2f..%2fetc%2fpasswd',
      `/api/media?batch=b&id=${encodeURIComponent(FILE.key)}`,
      '/api/media/%00',
    ])
      expect([path, (await page.ask(path)).status]).toEqual([path, 404]);
  });
});

it('the page ends at once, whatever is open', async () => {
  const page = await enter(world());
  const { closed } = await page.listen('/api/stream?batch=b');
  await page.page.close();
  await closed;
  await expect(page.ask('/api/session')).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
});

it('the page holds fifty tabs and a thousand requests, and reads the batch once for all', async () => {
  const page = await enter(world());
  const tabs = await Promise.all(Array.from({ length: 50 }, () => page.listen('/api/stream?batch=b')));
  expect(new Set(tabs.map(({ first }) => first)).size).toBe(1);
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => page.ask('/api/rows?batch=b')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  }
  // More than wait for a slow answer are told to come again.
  const slow = await Promise.all(Array.from({ length: 60 }, () => page.ask('/api/rows?batch=b&text=x')));
  expect(slow.every(({ status }) => status === 200 || status === 503)).toBe(true);
});

it('tabs that are closed at once leave nothing behind', async () => {
  const page = await enter(world());
  for (let round = 0; round < 4; round++)
    await Promise.all(
      Array.from({ length: 40 }, () =>
        fetch(`${page.origin}/api/stream?batch=b`, {
          headers: { cookie: page.cookie ?? '' },
          signal: AbortSignal.timeout(1 + 3 * round),
        }).then(
          (answer) => answer.body?.cancel(),
          () => undefined,
        ),
      ),
    );
  const tabs = await Promise.all(Array.from({ length: 50 }, () => page.listen('/api/stream?batch=b')));
  expect(tabs.every(({ first }) => first.startsWith('event: status'))).toBe(true);
});
