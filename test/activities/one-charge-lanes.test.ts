/** @slow */
import { describe, expect, it } from '@jest/globals';
import { claimAnew } from '../ledger/setup.ts';
import { waitFor } from '../support/wait-for.ts';
import { BATCH, keyOf, tts, texts } from './rows.ts';
import { movableClock } from './worker.ts';
import { begin } from './world.ts';

/** Lanes that change hands, of docs/decisions/one-charge.md. */

describe('one charge: lanes change hands', () => {
  it('a lane is taken while its old holder claims', async () => {
    const { world, worker: old } = await begin(texts(8));
    const next = await world.worker();
    const lease = await old.deps.ledger.acquireLane({ batch: BATCH, lane: 1, run: 'run', owner: 'old' });
    const [claim, taken] = await Promise.all([
      old.deps.ledger.claimRows({ ...lease, limit: 5 }),
      next.deps.ledger.acquireLane({ batch: BATCH, lane: 1, run: 'run', owner: 'next' }),
    ]);
    expect(await old.deps.ledger.claimRows({ ...lease, limit: 5 })).toBe('lost');
    const all = await next.deps.ledger.claimRows({ ...taken, limit: 100 });
    const rowsOf = (one: typeof claim): { row: number; fence: number }[] =>
      one === 'lost' ? [] : one.rows.map(({ row }) => ({ row: row.row, fence: row.fence }));
    expect(rowsOf(all)).toHaveLength(8);
    await Promise.all([
      ...rowsOf(claim).map((row) => old.submit({ ...keyOf(row.row), ...row })),
      ...rowsOf(all).map((row) => next.submit({ ...keyOf(row.row), ...row })),
    ]);
    expect(await world.paidRequests()).toBe(8);
    expect(new Set(world.charges().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(8);
  });

  it('taken between claim and intent', async () => {
    const { world, worker: old } = await begin([tts()]);
    const next = await world.worker();
    for (const { deps } of [old, next]) await claimAnew(deps.ledger);
    const before = { ...keyOf(1), fence: 1 };
    const after = { ...keyOf(1), fence: 3 };
    expect((await world.row()).fence).toBe(after.fence);
    expect(await old.submit(before)).toEqual({ verdict: 'blocked', next: { type: 'ended' } });
    expect(await old.reconcile(before)).toEqual({ verdict: 'blocked', next: { type: 'ended' } });
    expect(await world.attempts()).toEqual([]);
    expect(await next.submit(after)).toMatchObject({ verdict: 'accepted' });
    expect(await world.attempts()).toEqual(['speech 1 accepted']);
    expect(world.charges()).toHaveLength(1);
  });

  it('a row is handed back to another worker between claim and intent', async () => {
    const { world, worker: old } = await begin(texts(120));
    const next = await world.worker();
    const lease = await old.deps.ledger.acquireLane({ batch: BATCH, lane: 1, run: 'run', owner: 'old' });
    await old.deps.ledger.claimRows({ ...lease, limit: 120 });
    const [back] = await old.deps.ledger.handBackRows(lease, 2);
    if (back === undefined) throw new Error('nothing was handed back');
    const { rows } = await claimAnew(next.deps.ledger, { lane: 2, limit: 1 });
    const row = rows[0]?.row;
    if (row === undefined) throw new Error('nothing was free');
    await Promise.all([
      old.submit({ ...keyOf(row.row), fence: row.fence - 2 }),
      next.submit({ ...keyOf(row.row), fence: row.fence }),
    ]);
    expect(await world.paidRequests()).toBe(1);
  });

  it('taken between intent and send', async () => {
    const clock = movableClock();
    const { world, worker: next } = await begin([tts()], { clock });
    const submit = { ...keyOf(1), fence: 1 };
    await claimAnew(world.ledger);
    const old = await world.stopAt('after-intent', (worker) => worker.submit(submit), { clock });
    const { rows } = await claimAnew(next.deps.ledger);
    expect(rows.map(({ row, charges }) => [row.fence, charges[0]?.state])).toEqual([[3, 'sending']]);
    expect(await next.reconcile({ ...keyOf(1), fence: 3 })).toMatchObject({ verdict: 'unknown' });
    // Longer than a lane stays with whoever stands still.
    clock.move({ wall: 10_000, monotonic: 10_000 });
    old.release();
    expect(await old.ended).toMatchObject({ verdict: 'not-accepted' });
    expect(await world.paidRequests()).toBe(0);
    expect(await next.drive(1)).toEqual({ type: 'ended' });
    expect(await world.attempts()).toEqual(['speech 1 not-accepted', 'speech 2 accepted']);
    expect(world.charges()).toHaveLength(1);
  });

  it('two workers with one lane', async () => {
    const { world, worker: old } = await begin(texts(40), { createMs: [5, 20], jobMs: [0, 50] });
    const first = old.work();
    await waitFor(() => world.charges().length >= 5);
    // Temporal takes the first for dead, which it is not.
    expect(await Promise.all([first, world.work()])).toEqual([{ then: 'more' }, { then: 'idle' }]);
    expect(world.charges()).toHaveLength(40);
    expect(new Set(world.charges().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(40);
    expect((await world.ledger.counts(BATCH)).outcomes).toMatchObject({ succeeded: 40 });
  });

  it("the old holder's answer comes after the take-over", async () => {
    const { world, worker: next } = await begin([tts()]);
    await claimAnew(world.ledger);
    const old = await world.stopAt('after-answer', (worker) => worker.submit({ ...keyOf(1), fence: 1 }));
    await claimAnew(next.deps.ledger);
    expect(await next.reconcile({ ...keyOf(1), fence: 3 })).toMatchObject({ verdict: 'unknown' });
    expect(await world.outcomes()).toEqual(['unknown']);
    old.release();
    await old.ended;
    expect(await world.attempts()).toEqual(['speech 1 accepted']);
    expect(await next.drive(1)).toEqual({ type: 'ended' });
    expect(await world.outcomes()).toEqual(['succeeded']);
    expect([world.charges().length, await world.paidRequests()]).toEqual([1, 1]);
  });

  it('a process with two lanes leaves the last to a worker that has none', async () => {
    const { world, worker } = await begin([tts(), tts()], { jobMs: [600_000, 600_000] });
    const { ledger, realm, owner } = worker.deps;
    const end = new AbortController();
    const [first, last] = [1, 2].map((lane) => worker.work(BATCH, end.signal, { lane, lanes: 2 }));
    await waitFor(() => world.charges().length === 2);
    await ledger.beat({ ...realm, owner: 'free' });
    expect(await last).toEqual({ then: 'more' });
    expect(await ledger.laneOwners(BATCH)).toEqual([{ lane: 1, owner }]);
    end.abort();
    expect(await first).toEqual({ then: 'more' });
  });

  it('a slice ends with a request on the wire', async () => {
    const { world, worker } = await begin([tts()], {
      rules: [{ on: 'create', fault: { kind: 'late', ms: 300 } }],
    });
    const end = new AbortController();
    const ending = worker.work(BATCH, end.signal);
    await waitFor(() => world.charges().length === 1);
    expect(await world.attempts()).toEqual(['speech 1 sending']);
    end.abort();
    expect(await ending).toEqual({ then: 'more' });
    expect(await world.attempts()).toEqual(['speech 1 accepted']);
    expect(await world.ledger.laneOwners(BATCH)).toEqual([]);

    expect(await world.work()).toEqual({ then: 'idle' });
    expect(await world.outcomes()).toEqual(['succeeded']);
    expect(await world.paidRequests()).toBe(1);
  });
});
