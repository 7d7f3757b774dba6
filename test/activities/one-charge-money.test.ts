/** @slow */
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '../support/wait-for.ts';
import { BATCH, keyOf, tts } from './rows.ts';
import { begin } from './world.ts';

describe('one charge: limits of money', () => {
  it('two requests for the last of the budget', async () => {
    const { world } = await begin([tts(), tts(), tts()], { createMs: [100, 200], wanted: { budget: 10 } });
    const workers = await Promise.all([world.worker(), world.worker(), world.worker()]);
    const reports = await Promise.all(workers.map((worker, index) => worker.submit(keyOf(index + 1))));
    expect(reports.map(({ verdict }) => verdict).sort()).toEqual(['accepted', 'skipped', 'skipped']);
    for (const [index, { verdict, next }] of reports.entries()) {
      expect(next.type).toBe(verdict === 'accepted' ? 'wait' : 'ended');
      const { outcome, charges } = await world.row(index + 1);
      expect([outcome, charges.length]).toEqual(verdict === 'accepted' ? [null, 1] : ['skipped', 0]);
    }
    expect(await world.paidRequests()).toBe(1);
  });

  it('halted while requests are on the wire', async () => {
    const { world, worker } = await begin([tts('runs'), tts('slow'), tts('bad'), tts('never sent')], {
      rules: [
        { on: 'create', match: { text: 'bad' }, fault: { kind: 'status', status: 422 } },
        { on: 'create', match: { text: 'slow' }, fault: { kind: 'late', ms: 500 } },
      ],
      jobMs: [60_000, 60_000],
      wanted: { halt: { when: 'now', fail: 1, unit: 'rows' } },
    });
    await worker.submit(keyOf(1));
    const slow = worker.submit(keyOf(2));
    await waitFor(async () => (await worker.deps.ledger.sending(BATCH)).length === 1);
    expect(await worker.submit(keyOf(3))).toEqual({ verdict: 'rejected', next: { type: 'ended' } });
    expect(await world.outcomes()).toEqual(['overdue', null, 'failed', 'cancelled']);
    expect(await worker.submit(keyOf(4))).toMatchObject({ next: { type: 'ended' } });
    // What is on the wire is brought home; its job is not waited for, and keeps its id.
    const { next } = await slow;
    if (next.type !== 'wait') throw new Error(`expected a job, got ${next.type}`);
    expect((await worker.slice([next.at], 60_000)).settled).toEqual([{ row: 2, next: { type: 'ended' } }]);
    expect(await world.outcomes()).toEqual(['overdue', 'overdue', 'failed', 'cancelled']);
    expect((await world.row(2)).charges).toMatchObject([{ state: 'accepted', jobId: expect.any(String) }]);
    expect(await worker.deps.ledger.closeBatch(BATCH)).toBe(0);
    expect(world.charges()).toHaveLength(2);
  });
});
