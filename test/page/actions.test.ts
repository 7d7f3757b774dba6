import { describe, expect, it } from '@jest/globals';
import { ActionRefused, type PageActions } from '../../page/actions.ts';
import type { ActionAnswer, RedriveAnswer, RedrivePrice, RowAnswer, SettleAnswer } from '../../page/protocol.ts';
import { fail, lose, redrive, RESUBMIT, succeed } from '../ledger/actions.ts';
import { ledgerForEachTest, load } from '../ledger/setup.ts';
import { PageWorld, type Answer } from './page-world.ts';

ledgerForEachTest();

const PRICE: RedrivePrice = {
  ...{ rows: 1, paying: 1, credits: 2.5, estimated: false, unpriced: 0, waits: 0, replaced: 0 },
  ...{ accepts: 0, returns: 0 },
  ...{ leftOut: { open: 0, hasResult: 0, noUnfit: 0 }, mayBeChargedTwice: 0, budgetLeft: null, refusal: null },
};

/** A page whose actions are written down. */
async function open(): Promise<{
  readonly page: PageWorld;
  readonly did: unknown[];
  readonly price: { now: RedrivePrice };
  readonly post: (
    path: string,
    body: unknown,
    change?: Readonly<Record<string, string | undefined>>,
  ) => Promise<Answer>;
}> {
  await load(3);
  await succeed(1);
  await fail(2);
  await lose(3);
  const did: unknown[] = [];
  const price = { now: PRICE };
  const actions: PageActions = {
    control: (...given) => Promise.resolve([`${did.push(given)}`]),
    tune: (_, tuning) =>
      tuning.rate === 'x' ? Promise.reject(new ActionRefused('expected a number')) : Promise.resolve(['ok']),
    checkRedrive: () => Promise.resolve(price.now),
    redrive: (...given) => Promise.resolve([`${did.push(given)}`]),
    settle: (...given) => Promise.resolve([`${did.push(given)}`]),
    lookUp: (...given) => Promise.resolve([`${did.push(given)}`]),
  };
  const page = await PageWorld.open({ actions });
  await page.enter();
  return {
    ...{ page, did, price },
    post: (path, body, change = {}) => {
      const own = { origin: page.origin, 'content-type': 'application/json', 'x-voxbatch-csrf': page.token };
      const headers: Readonly<Record<string, string | undefined>> = { ...own, ...change };
      return page.ask(path, headers, 'POST', typeof body === 'string' ? body : JSON.stringify(body));
    },
  };
}

const PAUSE = { batch: 'b', what: 'pause', reason: ' too loud ' };

describe('posts', () => {
  it('do what the page asks for', async () => {
    const { post, did } = await open();
    expect(JSON.parse((await post('/api/control', PAUSE)).body)).toEqual({ type: 'done', lines: ['1'] });
    expect(did).toEqual([['b', 'pause', 'too loud']]);
    expect(await post('/api/tune', { batch: 'b', rate: 'x' })).toMatchObject({
      status: 409,
      body: expect.stringContaining('expected a number'),
    });
  });

  it('of anybody else do nothing: no other origin, no form, no token, no cookie, no other name', async () => {
    const { page, post, did } = await open();
    for (const change of [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: undefined },
      { origin: page.origin.replace('127.0.0.1', 'localhost') },
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'x-voxbatch-csrf': undefined },
      { 'x-voxbatch-csrf': 'x' },
      { 'sec-fetch-site': 'cross-site' },
      { host: 'evil.example' },
      { cookie: '' },
    ])
      for (const path of ['/api/control', '/api/settle-check', '/api/settle', '/api/look-up'])
        expect([change, (await post(path, PAUSE, change)).status]).toEqual([change, 403]);
    expect(did).toEqual([]);
  });

  it('that are not as the page sends them are refused', async () => {
    const { post, did } = await open();
    for (const [path, body, status] of [
      ['/api/control', '{', 400],
      ['/api/control', '7', 400],
      ['/api/control', { batch: 'b', what: 'delete' }, 400],
      ['/api/control', { what: 'pause' }, 400],
      ['/api/control', { batch: 'no', what: 'pause' }, 404],
      ['/api/redrive-check', { batch: 'b', ids: [] }, 400],
      ['/api/redrive-check', { batch: 'b', ids: [1] }, 400],
      ['/api/redrive', { batch: 'b', ids: ['r2'] }, 400],
      ['/api/rows', {}, 405],
      ['/api/settle-check', { batch: 'b', id: 'nobody', way: 'adopt', row: 'nobody', job: 'j' }, 400],
      ['/api/settle-check', { batch: 'b', id: 'r2', way: 'adopt', row: 'r2', job: 'j' }, 409],
      ['/api/settle-check', { batch: 'b', id: 'r3', way: 'delete', row: 'r3' }, 409],
      ['/api/settle-check', { batch: 'b', id: 'r3', way: 'adopt', row: 'r2', job: 'j' }, 409],
      ['/api/settle-check', { batch: 'b', id: 'r3', way: 'adopt', row: 'r3' }, 400],
      ['/api/settle-check', { batch: 'b', id: 'r3', way: 'adopt', row: 'r3', job: 'r2=j' }, 400],
      ['/api/settle', { batch: 'b', id: 'r3', way: 'resubmit', row: 'r3' }, 400],
      ['/api/look-up', {}, 400],
      ['/api/control', 'x'.repeat(1_100_000), 400],
    ] as const)
      expect([path, (await post(path, body)).status]).toEqual([path, status]);
    expect(did).toEqual([]);
  });
});

it('rows are sent again at the price that was seen, and else it asks again', async () => {
  const { post, did, price } = await open();
  const check = async (): Promise<RedriveAnswer> =>
    JSON.parse((await post('/api/redrive-check', { batch: 'b', ids: ['r2'] })).body) as RedriveAnswer;
  const send = async (signature: string, ids = ['r2']): Promise<RedriveAnswer | ActionAnswer> =>
    JSON.parse((await post('/api/redrive', { batch: 'b', ids, signature })).body) as RedriveAnswer | ActionAnswer;
  const { signature } = await check();

  // Another choice, another price, rows that changed meanwhile, a signature of somebody else.
  expect((await send(signature, ['r1'])).type).toBe('price');
  price.now = { ...PRICE, credits: 3 };
  expect((await send(signature)).type).toBe('price');
  price.now = PRICE;
  expect((await send(`${signature.slice(0, -1)}_`)).type).toBe('price');
  await redrive(2);
  const again = await send(signature);
  expect([again.type, did]).toEqual(['price', []]);

  const fresh = await check();
  // Of the budget something else is left with each request of a batch that goes on.
  price.now = { ...PRICE, budgetLeft: 7 };
  expect(await send(fresh.signature)).toEqual({ type: 'done', lines: ['1'] });
  expect(did).toEqual([['b', ['r2'], undefined]]);
});

it('a lost request is settled by what was seen, and else it asks again', async () => {
  const { page, post, did, price } = await open();
  const { ways } = await page.json<RowAnswer>('/api/row?batch=b&id=r3');
  expect(ways.map(({ way, row, makes, mayHaveCost }) => [way, row, makes, mayHaveCost])).toEqual([
    ['adopt', 'r3', 'job', 2.5],
    ['resubmit', 'r3', null, 2.5],
  ]);
  const ask = async (path: string, more: object): Promise<SettleAnswer | ActionAnswer> =>
    JSON.parse((await post(path, { batch: 'b', id: 'r3', row: 'r3', ...more })).body) as SettleAnswer | ActionAnswer;
  const signatureOf = async (more: object): Promise<string> => {
    const answer = await ask('/api/settle-check', more);
    return answer.type === 'decision' ? answer.signature : '';
  };
  const adopt = { way: 'adopt', job: 'job-1' };
  const signature = await signatureOf(adopt);
  // Another job, another way, another price.
  expect((await ask('/api/settle', { ...adopt, job: 'job-2', signature })).type).toBe('decision');
  expect((await ask('/api/settle', { way: 'resubmit', signature })).type).toBe('decision');
  const again = await signatureOf({ way: 'resubmit' });
  price.now = { ...PRICE, credits: 3 };
  expect(await ask('/api/settle', { way: 'resubmit', signature: again })).toMatchObject({ price: { credits: 3 } });
  expect(did).toEqual([]);

  expect(await ask('/api/settle', { ...adopt, signature })).toEqual({ type: 'done', lines: ['1'] });
  expect(did).toEqual([['b', { way: 'adopt', row: 'r3', job: 'job-1' }, undefined]]);

  // Somebody has settled it meanwhile: nothing is done, and it says how the row stands.
  const stale = await signatureOf(adopt);
  await redrive(3, RESUBMIT);
  const refused = await post('/api/settle', { batch: 'b', id: 'r3', row: 'r3', ...adopt, signature: stale });
  expect([refused.status, did.length]).toEqual([409, 1]);
  expect(refused.body).toContain('cannot be decided any more');
});
