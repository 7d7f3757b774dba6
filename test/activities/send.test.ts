import { describe, expect, it, jest } from '@jest/globals';
import { Readable } from 'node:stream';
import { isProcessEnd } from '../../policy/reconcile/process-end.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import { waitFor } from '../support/wait-for.ts';
import { keyOf, tts } from './rows.ts';
import { begin } from './world.ts';

const NOW = 1_000_000;
/** Clocks that stand still: what a process counts of the last second stays the same, however slow the machine. */
const STOPPED = { now: () => ({ wall: NOW, host: NOW, monotonic: NOW }) };
const AGAIN = { verdict: 'not-accepted', next: { type: 'submit' } };

describe('what is sent', () => {
  it('is trusted to be refused with 503 by the setting of the batch, not of the worker', async () => {
    const fault = { kind: 'status', status: 503, retryAfter: 1 } as const;
    const { world, worker } = await begin([tts()], { rules: [{ on: 'create', fault }], wanted: { trust503: true } });
    await world.fill([tts()], { name: 'wary', trust503: false });
    const wary = await worker.submit({ ...keyOf(1), batch: 'wary' });
    expect(wary).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    expect(await worker.submit(keyOf(1))).toMatchObject(AGAIN);
    // What the API wants to be waited for is on record for the pace.
    expect((await world.row()).charges[0]?.failure).toMatchObject({ class: 'ServiceDown', retryAfterMs: 1_000 });
  });

  it('counts as a turn, which is given back where its intent is refused', async () => {
    const { world, worker } = await begin([tts(), tts()], {
      clock: STOPPED,
      ledger: (ledger) => ({
        intend: async (key, intent) => {
          if (key.row === 2) await ledger.giveUp(key, { outcome: 'cancelled' });
          return ledger.intend(key, intent);
        },
      }),
    });
    for (const row of [1, 2]) {
      await worker.submit(keyOf(row));
      expect(worker.deps.pace.usedBefore('create', NOW + 2)).toBe(1);
    }
    expect(await world.paidRequests()).toBe(1);
  });

  it('teaches the limit of jobs at once if it is refused for too many, and by no other answer', async () => {
    const { world, worker } = await begin([tts(), tts()], { jobMs: [600_000, 600_000], service: { concurrency: 1 } });
    const update = jest.spyOn(worker.deps.ledger, 'updateLimiter');
    const reached = (): unknown => update.mock.calls.map(([, step]) => step).filter((s) => s.type === 'limit-reached');
    expect(await worker.submit(keyOf(1))).toMatchObject({ verdict: 'accepted' });
    expect(reached()).toEqual([]);
    expect(await worker.submit(keyOf(2))).toMatchObject(AGAIN);
    expect((await world.row(2)).charges[0]?.failure).toMatchObject({ class: 'RateLimited', limit: 'concurrency' });
    expect(reached()).toMatchObject([{ running: 1 }]);
  });

  it('is nothing while the API has asked for a pause, although its record was made already', async () => {
    const { world, worker } = await begin([tts()], {
      clock: STOPPED,
      // Another request is refused at this moment.
      atFaultPoint: (moment) => {
        if (moment === 'after-intent') worker.deps.pace.pause('create', NOW, { pauseMs: 60_000 });
      },
    });
    expect(await worker.submit(keyOf(1))).toMatchObject(AGAIN);
    expect(world.charges()).toHaveLength(0);
    // Its turn is another's, and nobody takes it for trouble of the API.
    const { pace } = worker.deps;
    expect([pace.usedBefore('create', NOW + 1), pace.countTrouble('create')]).toEqual([0, 1]);
    expect((await world.row()).charges).toMatchObject([{ state: 'not-accepted', failure: { class: 'NotSent' } }]);
  });
});

it("what was not sent, because the work was taken away meanwhile, is no trouble of the API, and its turn is another's", async () => {
  const leaving = new AbortController();
  const { world, worker } = await begin([tts()], {
    clock: STOPPED,
    atFaultPoint: (moment) => {
      if (moment === 'after-intent') leaving.abort();
    },
  });
  expect(await worker.submit(keyOf(1), leaving.signal)).toMatchObject(AGAIN);
  expect(world.charges()).toHaveLength(0);
  const { pace } = worker.deps;
  expect([pace.usedBefore('create', NOW + 1), pace.countTrouble('create')]).toEqual([0, 1]);
});

it.each([
  ['the disk has no room for it, who must be told', new StoreUnwritable('x.part', new Error('ENOSPC: no space')), 1],
  ['it is none', new Error('not a sound'), 0],
])(
  'a large result that comes in the answer itself is read once, and its row is unknown where %s',
  async (_, error, told) => {
    const write = jest.fn(() => Promise.reject(error));
    const { world, worker } = await begin([tts()], {
      wanted: { tts: 'sync' },
      // Small ones come whole; a stream cannot be read a second time.
      api: (api) => ({
        send: (request, { receive, ...options }) =>
          api.send(request, {
            ...options,
            receive: (body, info) => {
              if (receive === undefined) throw new Error('nobody receives the answer');
              return receive(Buffer.isBuffer(body) ? Readable.from([body, Buffer.alloc(2 * 1024 ** 2)]) : body, info);
            },
          }),
      }),
      store: () => ({ write }),
    });
    expect(await worker.submit(keyOf(1))).toMatchObject({ verdict: 'unknown' });
    expect([write.mock.calls.length, worker.faults]).toEqual([1, told === 1 ? [error] : []]);
    expect(await world.paidRequests()).toBe(1);
  },
);

describe('a conflict (409)', () => {
  const conflict = { on: 'create', fault: { kind: 'status', status: 409, accepted: false } } as const;

  it('at the first attempt of a take is a refusal for good', async () => {
    const { worker } = await begin([tts()], { rules: [conflict] });
    expect(await worker.submit(keyOf(1))).toEqual({ verdict: 'rejected', next: { type: 'ended' } });
  });

  it('after an earlier attempt of the take says that nobody knows', async () => {
    const down = { on: 'create', match: { nth: 1 }, fault: { kind: 'status', status: 503, accepted: true } } as const;
    const { world, worker } = await begin([tts()], { rules: [down, conflict] });
    await worker.drive(1);
    expect(await world.attempts()).toEqual(['speech 1 not-accepted', 'speech 2 unknown']);
    expect(await world.row()).toMatchObject({ outcome: 'unknown', failure: { status: 409 } });
    // The 503 lied.
    expect(world.charges()).toHaveLength(1);
  });
});

it('a request whose answer is not waited for is lost by the end of the process, and one that lost its connection is not', async () => {
  const cut = new AbortController();
  const { world, worker } = await begin([tts('hangs'), tts('is cut')], {
    rules: [
      { on: 'create', match: { text: 'hangs' }, fault: { kind: 'hang', accepted: true } },
      { on: 'create', match: { text: 'is cut' }, fault: { kind: 'reset-after' } },
    ],
    change: () => ({ cutting: cut.signal }),
  });
  await worker.submit(keyOf(2));
  const hanging = worker.submit(keyOf(1));
  await waitFor(() => world.charges().length === 2);
  cut.abort();
  expect(await hanging).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
  const failures = [(await world.row(1)).failure, (await world.row(2)).failure];
  expect(failures.map((failure) => failure !== null && isProcessEnd(failure))).toEqual([true, false]);
});
