import { describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { StoreUnwritable } from '../../store/errors.ts';
import { BATCH, keyOf, settingsOf, tts } from './rows.ts';
import { createWorld } from './world.ts';

describe('trust503', () => {
  it('is the setting of the batch, not of the worker', async () => {
    const fault = { kind: 'status', status: 503, retryAfter: 1 } as const;
    const world = await createWorld({ plan: { rules: [{ on: 'create', fault }] } });
    await world.fill([tts()], { trust503: true });
    const ledger = await world.look();
    const found = await ledger.findBatch(BATCH);
    await ledger.createBatch({
      name: 'wary',
      digest: 'd2',
      apiUrl: world.simulator.url,
      account: found?.account ?? '',
      settings: settingsOf({ trust503: false }),
      columns: ['id'],
      source: 'wary.csv',
    });
    await ledger.addRows('wary', [{ row: 1, id: 'r1', line: 2, spec: tts(), input: [], quoted: 1 }]);
    await ledger.openBatch('wary', 1);

    const worker = await world.worker();
    expect(await worker.submit({ ...keyOf(1), batch: 'wary' })).toEqual({
      verdict: 'unknown',
      next: { type: 'ended' },
    });
    expect(await worker.submit(keyOf(1))).toMatchObject({ verdict: 'not-accepted', next: { type: 'submit' } });
    // What the API wants to be waited for is on record for the pace.
    expect((await world.row(1)).charges[0]?.failure).toMatchObject({ class: 'ServiceDown', retryAfterMs: 1_000 });
  });
});

describe('a pause that the API asked for', () => {
  it('keeps a request from being sent whose record was made already', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const worker = await world.worker({
      // Another request is refused at this moment.
      atFaultPoint: (moment) => {
        if (moment === 'after-intent') worker.deps.pace.pause('create', performance.now(), { pauseMs: 60_000 });
      },
    });
    expect(await worker.submit(keyOf(1))).toMatchObject({ verdict: 'not-accepted', next: { type: 'submit' } });
    expect(world.charges()).toHaveLength(0);
    expect((await world.row(1)).charges).toMatchObject([{ state: 'not-accepted', failure: { class: 'NotSent' } }]);
  });
});

describe('a large result that comes in the answer itself', () => {
  it.each([
    ['the disk has no room for it, who must be told', new StoreUnwritable('x.part', new Error('ENOSPC: no space')), 1],
    ['it is none', new Error('not a sound'), 0],
  ])('is read once, and its row is unknown where %s', async (_, error, told) => {
    const world = await createWorld();
    await world.fill([tts()], { tts: 'sync' });
    let writes = 0;
    const worker = await world.worker({
      change: ({ api, store }) => ({
        // Small ones come whole; a stream cannot be read a second time.
        api: {
          ...api,
          send: (request, options) =>
            api.send(request, {
              ...options,
              receive: (body, info) => {
                if (options.receive === undefined) throw new Error('nobody receives the answer');
                return options.receive(Buffer.isBuffer(body) ? Readable.from([body]) : body, info);
              },
            }),
        },
        store: {
          ...store,
          write: () => {
            writes += 1;
            return Promise.reject(error);
          },
        },
      }),
    });
    expect(await worker.submit(keyOf(1))).toMatchObject({ verdict: 'unknown' });
    expect([writes, worker.faults]).toEqual([1, told === 1 ? [error] : []]);
    expect(await world.paidRequests()).toBe(1);
  });
});

describe('a conflict (409)', () => {
  const conflict = { kind: 'status', status: 409, accepted: false } as const;

  it('at the first attempt of a take is a refusal for good', async () => {
    const world = await createWorld({ plan: { rules: [{ on: 'create', fault: conflict }] } });
    await world.fill([tts()]);
    const worker = await world.worker();
    expect(await worker.submit(keyOf(1))).toEqual({ verdict: 'rejected', next: { type: 'ended' } });
  });

  it('after an earlier attempt of the take says that nobody knows', async () => {
    const world = await createWorld({
      plan: {
        rules: [
          { on: 'create', match: { nth: 1 }, fault: { kind: 'status', status: 503, accepted: true } },
          { on: 'create', fault: conflict },
        ],
      },
    });
    await world.fill([tts()]);
    const worker = await world.worker();
    await worker.drive(1);
    expect(await world.attempts(1)).toEqual(['speech 1 not-accepted', 'speech 2 unknown']);
    expect(await world.row(1)).toMatchObject({ outcome: 'unknown', failure: { status: 409 } });
    // The 503 lied.
    expect(world.charges()).toHaveLength(1);
  });
});
