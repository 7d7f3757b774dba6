import { describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { isProcessEnd } from '../../policy/reconcile/process-end.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import { waitFor } from '../support/wait-for.ts';
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

const NOW = 1_000_000;
/** Clocks that stand still: what a process counts of the last second stays the same, however slow the machine. */
const STOPPED = { now: () => ({ wall: NOW, monotonic: NOW }) };

describe('a turn', () => {
  it('counts where its request was sent, and is given back where its intent is refused', async () => {
    const world = await createWorld();
    await world.fill([tts(), tts()]);
    const used: number[] = [];
    const worker = await world.worker({
      clock: STOPPED,
      change: ({ ledger }) => ({
        ledger: {
          ...ledger,
          intend: async (key, intent) => {
            if (key.row === 2) await ledger.giveUp(key, { outcome: 'cancelled' });
            return ledger.intend(key, intent);
          },
        },
      }),
    });
    for (const row of [1, 2]) {
      await worker.submit(keyOf(row));
      used.push(worker.deps.pace.usedBefore('create', NOW + 2));
    }
    expect(used).toEqual([1, 1]);
    expect(await world.paidRequests()).toBe(1);
  });
});

describe('a refusal because of too many unfinished jobs', () => {
  it('teaches the limit of jobs at once, and no other answer does', async () => {
    const world = await createWorld({ concurrency: 1, jobMs: [600_000, 600_000] });
    await world.fill([tts(), tts()]);
    const steps: string[] = [];
    const worker = await world.worker({
      change: ({ ledger }) => ({
        ledger: {
          ...ledger,
          updateLimiter: (scope, step) => {
            if (step.type === 'limit-reached') steps.push(`${step.type} ${step.running}`);
            return ledger.updateLimiter(scope, step);
          },
        },
      }),
    });
    expect(await worker.submit(keyOf(1))).toMatchObject({ verdict: 'accepted' });
    expect(steps).toEqual([]);
    expect(await worker.submit(keyOf(2))).toMatchObject({ verdict: 'not-accepted', next: { type: 'submit' } });
    expect((await world.row(2)).charges[0]?.failure).toMatchObject({ class: 'RateLimited', limit: 'concurrency' });
    expect(steps).toEqual(['limit-reached 1']);
  });
});

describe('a pause that the API asked for', () => {
  it('keeps a request from being sent whose record was made already', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const worker = await world.worker({
      clock: STOPPED,
      // Another request is refused at this moment.
      atFaultPoint: (moment) => {
        if (moment === 'after-intent') worker.deps.pace.pause('create', NOW, { pauseMs: 60_000 });
      },
    });
    expect(await worker.submit(keyOf(1))).toMatchObject({ verdict: 'not-accepted', next: { type: 'submit' } });
    expect(world.charges()).toHaveLength(0);
    // Its turn is another's, and nobody takes it for trouble of the API.
    expect(worker.deps.pace.usedBefore('create', NOW + 1)).toBe(0);
    expect(worker.deps.pace.troubled('create')).toBe(1);
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
                return options.receive(
                  Buffer.isBuffer(body) ? Readable.from([body, Buffer.alloc(2 * 1024 ** 2)]) : body,
                  info,
                );
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

describe('a request whose answer is not waited for', () => {
  it('is lost by the end of the process, and one that lost its connection is not', async () => {
    const rules = [
      { on: 'create', match: { text: 'hangs' }, fault: { kind: 'hang', accepted: true } },
      { on: 'create', match: { text: 'is cut' }, fault: { kind: 'reset-after' } },
    ] as const;
    const world = await createWorld({ plan: { rules: [...rules] } });
    await world.fill([tts('hangs'), tts('is cut')]);
    const cut = new AbortController();
    const worker = await world.worker({ change: () => ({ cutting: cut.signal }) });
    await worker.submit(keyOf(2));
    const hanging = worker.submit(keyOf(1));
    await waitFor(() => world.charges().length === 2);
    cut.abort();
    expect(await hanging).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    const failures = [(await world.row(1)).failure, (await world.row(2)).failure];
    expect(failures.map((failure) => failure !== null && isProcessEnd(failure))).toEqual([true, false]);
  });
});
