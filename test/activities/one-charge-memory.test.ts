import { describe, expect, it } from '@jest/globals';
import { moveAfter } from '../../activities/attempt.ts';
import { dub, keyOf, tts } from './rows.ts';
import { createWorld } from './world.ts';
import { claimAnew } from '../ledger/setup.ts';

/** Lost memory of docs/decisions/one-charge.md: what Temporal forgot or remembers wrongly, the ledger knows. */

describe('one charge: lost memory', () => {
  it('the history is lost', async () => {
    const world = await createWorld({ jobMs: [0, 0] });
    await world.fill([tts('new'), tts('in doubt'), tts('accepted'), dub('first step done'), tts('finished')]);
    const before = await world.worker();
    await before.submit(keyOf(3));
    await before.submit(keyOf(4));
    await before.wait([[4]]);
    await before.drive(5);
    const death = world.holdAt('after-intent');
    void (await world.worker({ atFaultPoint: death.atFaultPoint })).submit(keyOf(2));
    await death.reached;
    expect(world.charges()).toHaveLength(3);

    const after = await world.worker();
    const { rows, exhausted } = await claimAnew(after.deps.ledger, { run: 'another run' });
    const at = { step: 'speech', take: 1, attempt: 1, fence: 1 };
    expect(rows.map((standing) => moveAfter(standing.row, standing))).toEqual([
      { type: 'reconcile', at: { row: 2, ...at } },
      { type: 'wait', at: { row: 3, ...at } },
      // What is under way comes first.
      { type: 'submit', at: { row: 1, ...at } },
      { type: 'submit', at: { row: 4, ...at, step: 'lip-sync' } },
    ]);
    expect(exhausted).toBe(true);
    for (const row of [1, 2, 3, 4, 5]) await after.drive(row);
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map(async (row) => (await world.row(row)).outcome));
    expect(outcomes).toEqual(['succeeded', 'unknown', 'succeeded', 'succeeded', 'succeeded']);
    // One for each step but the one in doubt, which was never sent.
    const texts = world.charges().map(({ operation, text }) => `${operation} ${text ?? ''}`.trim());
    expect(texts.sort()).toEqual([
      'lip-sync-job',
      'speech-job accepted',
      'speech-job finished',
      'speech-job first step done',
      'speech-job new',
    ]);
  });

  it('the history falls behind the ledger', async () => {
    const world = await createWorld({
      plan: { rules: [{ on: 'create', match: { nth: 1 }, fault: { kind: 'status', status: 429 } }] },
    });
    await world.fill([tts('refused once'), tts('accepted')]);
    const worker = await world.worker();
    await worker.submit(keyOf(1));
    await worker.submit(keyOf(1, 2));
    await worker.submit(keyOf(2));
    const paid = await world.paidRequests();

    const restored = await world.worker();
    const waits = { type: 'wait', at: { row: 1, step: 'speech', take: 1, attempt: 2 } };
    expect(await restored.submit(keyOf(1))).toEqual({ verdict: 'not-accepted', next: waits });
    expect(await restored.reconcile(keyOf(1))).toEqual({ verdict: 'not-accepted', next: waits });
    expect(await restored.submit(keyOf(2))).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect(await world.paidRequests()).toBe(paid);
    expect(world.charges()).toHaveLength(2);
  });

  it('a finished row is asked for again', async () => {
    const world = await createWorld();
    await world.fill([tts(), tts('never sent')]);
    const worker = await world.worker();
    await worker.drive(1);
    await worker.deps.ledger.giveUp(keyOf(2), { outcome: 'cancelled' });
    const other = await world.worker();
    expect(await other.submit(keyOf(1))).toEqual({ verdict: 'accepted', next: { type: 'ended' } });
    expect((await other.submit(keyOf(1, 2))).next).toEqual({ type: 'ended' });
    expect((await other.reconcile(keyOf(1))).next).toEqual({ type: 'ended' });
    expect((await other.submit(keyOf(2))).next).toEqual({ type: 'ended' });
    expect((await other.slice([keyOf(1)], 1_000)).settled).toEqual([{ row: 1, next: { type: 'ended' } }]);
    expect(world.charges()).toHaveLength(1);
    expect(await world.paidRequests()).toBe(1);
  });
});
