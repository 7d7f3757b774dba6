import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit } from '../../activities/pacing/concurrency-limit.ts';
import { hashOf } from '../../activities/reconcile/look-up-lost-job.ts';
import { BUILT_IN_PRICES } from '../../contract/row-kinds.ts';
import { LedgerUnreachable } from '../../ledger/errors.ts';
import type { Intent } from '../../ledger/requests/intent-records.ts';
import { waitFor } from '../support/wait-for.ts';
import { dub, keyOf, tts } from './rows.ts';
import { createWorld, type World, type WorkerOptions } from './world.ts';

/** What submit does around its request: what it asks, in which order, and how it leaves. */

const ELSEWHERE = { quoted: 1, quotedRest: 0, owner: 'elsewhere', maxSending: 8 };

/** Notes the intents that a worker asks for. */
function noting(intents: Intent[]): WorkerOptions {
  return {
    change: ({ ledger }) => ({
      ledger: {
        ...ledger,
        intend: (key, intent) => {
          intents.push(intent);
          return ledger.intend(key, intent);
        },
      },
    }),
  };
}

describe('submit', () => {
  it('answers at once, without its turn, where the ledger has the answer', async () => {
    const world = await createWorld();
    // One request in a quarter of an hour.
    await world.fill([tts(), tts()], { limits: { rate: 0.001 } });
    const worker = await world.worker();
    await worker.submit(keyOf(1));
    await worker.deps.ledger.giveUp(keyOf(2), { outcome: 'cancelled' });
    expect(await worker.submit(keyOf(1))).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect(await worker.submit(keyOf(2))).toEqual({ verdict: 'deferred', next: { type: 'ended' } });
    expect(await world.paidRequests()).toBe(1);
  });

  it.each([
    ['of a known price', { ...BUILT_IN_PRICES, 'lip-sync-job': { unit: 'job', credits: 7, estimate: false } }, 7],
    ['of an unknown price', BUILT_IN_PRICES, null],
  ] as const)('asks for what the later steps of its row cost, %s', async (_, prices, quotedRest) => {
    const world = await createWorld();
    await world.fill([dub('Ten chars.'), tts('Ten chars.')], { prices });
    const intents: Intent[] = [];
    const worker = await world.worker(noting(intents));
    for (const row of [1, 2]) await worker.submit(keyOf(row));
    expect(intents).toMatchObject([
      { quoted: 5, quotedRest },
      { quoted: 5, quotedRest: 0 },
    ]);
    expect(intents.map((intent) => 'linkHash' in intent)).toEqual([false, false]);
  });

  it('records which link a chain was given', async () => {
    const world = await createWorld();
    await world.fill([dub()]);
    const intents: Intent[] = [];
    await (await world.worker(noting(intents))).drive(1);
    expect(intents[1]?.linkHash).toBe(hashOf(world.charges()[1]?.audioUrl ?? ''));
  });

  it('asks with the fencing token of whoever has the row, and gives it back with what the row needs next', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const intents: Intent[] = [];
    const worker = await world.worker(noting(intents));
    const { fence } = await world.row(1);
    await worker.submit({ ...keyOf(1), fence: fence + 1 });
    expect(intents).toMatchObject([{ fence: fence + 1 }]);
    expect(await world.paidRequests()).toBe(0);
    expect(await worker.submit({ ...keyOf(1), fence })).toMatchObject({ next: { type: 'wait', at: { fence } } });
  });

  it('sends nothing for a row that has ended meanwhile', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const hold = world.holdAt('before-intent');
    const worker = await world.worker({ atFaultPoint: hold.atFaultPoint });
    const submitting = worker.submit(keyOf(1));
    await hold.reached;
    await worker.deps.ledger.giveUp(keyOf(1), { outcome: 'cancelled' });
    hold.release();
    expect(await submitting).toEqual({ verdict: 'blocked', next: { type: 'ended' } });
  });

  it('stops waiting for the in-flight limit when its work is taken away', async () => {
    const world = await createWorld();
    await world.fill([tts(), tts()], { limits: { submits: 1 } });
    const intents: Intent[] = [];
    const worker = await world.worker(noting(intents));
    await worker.deps.ledger.intend(keyOf(2), ELSEWHERE);
    intents.length = 0;
    const end = new AbortController();
    const submitting = worker.submit(keyOf(1), end.signal);
    await waitFor(() => intents.length > 1);
    end.abort();
    await expect(submitting).rejects.toMatchObject({ name: 'AbortError' });
    expect(await world.paidRequests()).toBe(0);
  });

  /** A limit that counts who went in and came out. */
  class CountedLimit extends ConcurrencyLimit {
    inside = 0;

    override async enter(...given: Parameters<ConcurrencyLimit['enter']>): Promise<() => void> {
      const leave = await super.enter(...given);
      this.inside += 1;
      return () => {
        this.inside -= 1;
        leave();
      };
    }
  }

  it('leaves the concurrency limit when it has its answer, and when it fails', async () => {
    const world = await createWorld();
    await world.fill([tts(), tts()]);
    const concurrencyLimit = new CountedLimit();
    const broken = failing(world, 'the disk is gone', () => ({ concurrencyLimit }));
    await (await world.worker({ change: () => ({ concurrencyLimit }) })).submit(keyOf(1));
    expect(concurrencyLimit.inside).toBe(0);
    await expect((await broken).submit(keyOf(2))).rejects.toThrow('the disk is gone');
    expect(concurrencyLimit.inside).toBe(0);
  });

  it('passes a failure on as it is, also one before its turn', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const concurrencyLimit = new ConcurrencyLimit();
    concurrencyLimit.enter = () => Promise.reject(new Error('nobody may enter'));
    await expect((await world.worker({ change: () => ({ concurrencyLimit }) })).submit(keyOf(1))).rejects.toThrow(
      'nobody may enter',
    );
  });
});

/**
 * An attempt that may be on record counts against the in-flight limit. Queued for it again, it could stand behind as many
 * rows as there are places, all of them waiting for it.
 */
describe('what submit leaves behind when its work is taken away', () => {
  it('a paid request whose answer cannot be recorded is for reconcile', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const [cut, end] = [new AbortController(), new AbortController()];
    const full = new LedgerUnreachable('ledger.db', 'the disk is full', 'Free some space.');
    const worker = await world.worker({
      change: ({ ledger }) => ({
        cutting: cut.signal,
        ledger: { ...ledger, settle: () => Promise.reject(full) },
      }),
    });
    const submitting = worker.submit(keyOf(1), end.signal);
    await waitFor(() => worker.faults.length > 0);
    end.abort();
    cut.abort();
    await expect(submitting).rejects.toBe(full);
    expect(await world.attempts(1)).toEqual(['speech 1 sending']);
  });

  it('an intent that fails may be on record all the same', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const end = new AbortController();
    const worker = await world.worker({
      change: ({ ledger }) => ({
        ledger: {
          ...ledger,
          intend: async (...intent) => {
            await ledger.intend(...intent);
            end.abort();
            throw new Error('the disk is gone');
          },
        },
      }),
    });
    await expect(worker.submit(keyOf(1), end.signal)).rejects.toThrow('the disk is gone');
    expect(await world.attempts(1)).toEqual(['speech 1 sending']);
    expect(await world.paidRequests()).toBe(0);
  });
});

/** A worker whose intents fail. */
function failing(
  world: World,
  message: string,
  more: NonNullable<WorkerOptions['change']>,
): ReturnType<World['worker']> {
  return world.worker({
    change: (deps) => ({
      ...more(deps),
      ledger: { ...deps.ledger, intend: () => Promise.reject(new Error(message)) },
    }),
  });
}
