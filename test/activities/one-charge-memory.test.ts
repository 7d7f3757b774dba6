import { describe, expect, it } from '@jest/globals';
import { nextMoveFor } from '../../activities/attempt.ts';
import { claimAnew } from '../ledger/setup.ts';
import { keyOf, tts, dub } from './rows.ts';
import { begin } from './world.ts';

/** Lost memory of docs/decisions/one-charge.md: what Temporal forgot or remembers wrongly, the ledger knows. */

describe('one charge: lost memory', () => {
  it('the history is lost', async () => {
    const specs = [tts('new'), tts('in doubt'), tts('accepted'), dub('first step done'), tts('finished')];
    const { world, worker: before } = await begin(specs);
    for (const row of [3, 4]) await before.submit(keyOf(row));
    await before.wait([[4]]);
    await before.drive(5);
    await world.stopAt('after-intent', (killed) => killed.submit(keyOf(2)));
    expect(world.charges()).toHaveLength(3);

    const after = await world.worker();
    const { rows, exhausted } = await claimAnew(after.deps.ledger, { run: 'another run' });
    const at = { step: 'speech', take: 1, attempt: 1, fence: 1 };
    expect(rows.map((snapshot) => nextMoveFor(snapshot.row, snapshot))).toEqual([
      { type: 'reconcile', at: { row: 2, ...at } },
      { type: 'wait', at: { row: 3, ...at } },
      // What is under way comes first.
      { type: 'submit', at: { row: 1, ...at } },
      { type: 'submit', at: { row: 4, ...at, step: 'lip-sync' } },
    ]);
    expect(exhausted).toBe(true);
    await after.drive(1, 2, 3, 4, 5);
    expect(await world.outcomes()).toEqual(['succeeded', 'unknown', 'succeeded', 'succeeded', 'succeeded']);
    // One for each step but the one in doubt, which was never sent.
    const sent = world.charges().map(({ operation, text }) => `${operation} ${text ?? ''}`.trim());
    expect(sent.sort()).toEqual([
      'lip-sync-job',
      ...['accepted', 'finished', 'first step done', 'new'].map((text) => `speech-job ${text}`),
    ]);
  });

  it('the history falls behind the ledger', async () => {
    const { world, worker } = await begin([tts('refused once'), tts('accepted')], {
      rules: [{ on: 'create', match: { nth: 1 }, fault: { kind: 'status', status: 429 } }],
    });
    for (const key of [keyOf(1), keyOf(1, 2), keyOf(2)]) await worker.submit(key);
    const paid = await world.paidRequests();

    const restored = await world.worker();
    const waits = { type: 'wait', at: { row: 1, step: 'speech', take: 1, attempt: 2 } };
    expect(await restored.submit(keyOf(1))).toEqual({ verdict: 'not-accepted', next: waits });
    expect(await restored.reconcile(keyOf(1))).toEqual({ verdict: 'not-accepted', next: waits });
    expect(await restored.submit(keyOf(2))).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect([world.charges().length, await world.paidRequests()]).toEqual([2, paid]);
  });

  it('a finished row is asked for again', async () => {
    const { world, worker } = await begin([tts(), tts('never sent')]);
    await worker.drive(1);
    await worker.deps.ledger.giveUp(keyOf(2), { outcome: 'cancelled' });
    const other = await world.worker();
    expect(await other.submit(keyOf(1))).toEqual({ verdict: 'accepted', next: { type: 'ended' } });
    expect((await other.submit(keyOf(1, 2))).next).toEqual({ type: 'ended' });
    expect((await other.reconcile(keyOf(1))).next).toEqual({ type: 'ended' });
    expect((await other.submit(keyOf(2))).next).toEqual({ type: 'ended' });
    expect((await other.slice([keyOf(1)], 1_000)).settled).toEqual([{ row: 1, next: { type: 'ended' } }]);
    expect([world.charges().length, await world.paidRequests()]).toEqual([1, 1]);
  });
});
