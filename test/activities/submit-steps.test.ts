import { describe, expect, it, jest } from '@jest/globals';
import { ConcurrencyLimit } from '../../activities/pacing/concurrency-limit.ts';
import { hashOf } from '../../activities/reconcile/adopt-lost-job.ts';
import { BUILT_IN_PRICES } from '../../contract/row-kinds.ts';
import { LedgerUnreachable } from '../../ledger/errors.ts';
import type { Intent } from '../../ledger/requests/intent-records.ts';
import { waitFor } from '../support/wait-for.ts';
import { INTENT, keyOf, tts, dub } from './rows.ts';
import type { Worker } from './worker.ts';
import { begin } from './world.ts';

/** What submit does around its request: what it asks, in which order, and how it leaves. */

/** The intents that a worker asks for from now on. */
function intentsOf({ deps }: Worker): () => readonly Intent[] {
  const intend = jest.spyOn(deps.ledger, 'intend');
  return () => intend.mock.calls.map(([, intent]) => intent);
}

describe('submit', () => {
  it('answers at once, without its turn, where the ledger has the answer', async () => {
    // One request in a quarter of an hour.
    const { world, worker } = await begin([tts(), tts()], { wanted: { limits: { rate: 0.001 } } });
    await worker.submit(keyOf(1));
    await world.ledger.giveUp(keyOf(2), { outcome: 'cancelled' });
    expect(await worker.submit(keyOf(1))).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect(await worker.submit(keyOf(2))).toEqual({ verdict: 'deferred', next: { type: 'ended' } });
    expect(await world.paidRequests()).toBe(1);
  });

  it.each([
    ['of a known price', { ...BUILT_IN_PRICES, 'lip-sync-job': { unit: 'job', credits: 7, estimate: false } }, 7],
    ['of an unknown price', BUILT_IN_PRICES, null],
  ] as const)('asks for what the later steps of its row cost, %s', async (_, prices, quotedRest) => {
    const { worker } = await begin([dub('Ten chars.'), tts('Ten chars.')], { wanted: { prices } });
    const intents = intentsOf(worker);
    for (const row of [1, 2]) await worker.submit(keyOf(row));
    expect(intents()).toMatchObject([
      { quoted: 5, quotedRest },
      { quoted: 5, quotedRest: 0 },
    ]);
    expect(intents().map((intent) => 'linkHash' in intent)).toEqual([false, false]);
  });

  it('records which link a chain was given', async () => {
    const { world, worker } = await begin([dub()]);
    const intents = intentsOf(worker);
    await worker.drive(1);
    expect(intents()[1]?.linkHash).toBe(hashOf(world.charges()[1]?.audioUrl ?? ''));
  });

  it('asks with the fencing token of whoever has the row, and gives it back with what the row needs next', async () => {
    const { world, worker } = await begin([tts()]);
    const intents = intentsOf(worker);
    const { fence } = await world.row();
    await worker.submit({ ...keyOf(1), fence: fence + 1 });
    expect(intents()).toMatchObject([{ fence: fence + 1 }]);
    expect(await world.paidRequests()).toBe(0);
    expect(await worker.submit({ ...keyOf(1), fence })).toMatchObject({ next: { type: 'wait', at: { fence } } });
  });

  it('sends nothing for a row that has ended meanwhile', async () => {
    const { world } = await begin([tts()]);
    const { ended, release } = await world.stopAt('before-intent');
    await world.ledger.giveUp(keyOf(1), { outcome: 'cancelled' });
    release();
    expect(await ended).toEqual({ verdict: 'blocked', next: { type: 'ended' } });
  });

  it('stops waiting for the in-flight limit when its work is taken away', async () => {
    const { world, worker } = await begin([tts(), tts()], { wanted: { limits: { submits: 1 } } });
    await world.ledger.intend(keyOf(2), INTENT);
    const [intents, end] = [intentsOf(worker), new AbortController()];
    const submitting = worker.submit(keyOf(1), end.signal);
    await waitFor(() => intents().length > 1);
    end.abort();
    await expect(submitting).rejects.toMatchObject({ name: 'AbortError' });
    expect(await world.paidRequests()).toBe(0);
  });

  it('leaves the concurrency limit when it has its answer, and when it fails', async () => {
    const concurrencyLimit = new ConcurrencyLimit();
    let inside = 0;
    const enter = concurrencyLimit.enter.bind(concurrencyLimit);
    concurrencyLimit.enter = async (...given) => {
      const leave = await enter(...given);
      inside += 1;
      return () => {
        inside -= 1;
        leave();
      };
    };
    const change = (): { concurrencyLimit: ConcurrencyLimit } => ({ concurrencyLimit });
    const { world, worker } = await begin([tts(), tts()], { change });
    await worker.submit(keyOf(1));
    expect(inside).toBe(0);
    const gone = new Error('the disk is gone');
    const broken = await world.worker({ change, ledger: () => ({ intend: () => Promise.reject(gone) }) });
    await expect(broken.submit(keyOf(2))).rejects.toBe(gone);
    expect(inside).toBe(0);
  });

  it('passes a failure on as it is, also one before its turn', async () => {
    const { worker } = await begin([tts()]);
    const closed = new Error('nobody may enter');
    jest.spyOn(worker.deps.concurrencyLimit, 'enter').mockRejectedValue(closed);
    await expect(worker.submit(keyOf(1))).rejects.toBe(closed);
  });
});

/**
 * An attempt that may be on record counts against the in-flight limit. Queued for it again, it could stand behind as many
 * rows as there are places, all of them waiting for it.
 */
describe('what submit leaves behind when its work is taken away', () => {
  it('a paid request whose answer cannot be recorded is for reconcile', async () => {
    const [cut, end] = [new AbortController(), new AbortController()];
    const full = new LedgerUnreachable('ledger.db', 'the disk is full', 'Free some space.');
    const { world, worker } = await begin([tts()], {
      ledger: () => ({ settle: () => Promise.reject(full) }),
      change: () => ({ cutting: cut.signal }),
    });
    const submitting = worker.submit(keyOf(1), end.signal);
    await waitFor(() => worker.faults.length > 0);
    end.abort();
    cut.abort();
    await expect(submitting).rejects.toBe(full);
    expect(await world.attempts()).toEqual(['speech 1 sending']);
  });

  it('an intent that fails may be on record all the same', async () => {
    const end = new AbortController();
    const { world, worker } = await begin([tts()], {
      ledger: ({ intend }) => ({
        intend: async (...intent) => {
          await intend(...intent);
          end.abort();
          throw new Error('the disk is gone');
        },
      }),
    });
    await expect(worker.submit(keyOf(1), end.signal)).rejects.toThrow('the disk is gone');
    expect(await world.attempts()).toEqual(['speech 1 sending']);
    expect(await world.paidRequests()).toBe(0);
  });
});
