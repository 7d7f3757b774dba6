/** @slow */
import { describe, expect, it } from '@jest/globals';
import { runLane } from '../../activities/lane/run-lane.ts';
import type { LaneReport } from '../../contract/activities.ts';
import { BATCH, keyOf, tts } from './rows.ts';
import { movableClock, type Worker } from './worker.ts';
import { createWorld } from './world.ts';
import { claimAnew } from '../ledger/setup.ts';
import { waitFor } from '../support/wait-for.ts';

/** Lanes that change hands, of docs/decisions/one-charge.md. */

const never = new AbortController().signal;
/** A lane that Temporal offers to a worker. */
function slice(worker: Worker, signal = never): Promise<LaneReport> {
  return runLane(worker.deps, { batch: BATCH, lane: 1, lanes: 1, run: 'run' }, signal, () => undefined);
}

describe('one charge: lanes change hands', () => {
  it('a lane is taken while its old holder claims', async () => {
    const world = await createWorld();
    const specs = Array.from({ length: 8 }, () => tts());
    await world.fill(specs);
    const [old, next] = [await world.worker(), await world.worker()];
    const lease = await old.deps.ledger.acquireLane({ batch: BATCH, lane: 1, run: 'run', owner: 'old' });
    const [claim, taken] = await Promise.all([
      old.deps.ledger.claimRows({ ...lease, limit: 5 }),
      next.deps.ledger.acquireLane({ batch: BATCH, lane: 1, run: 'run', owner: 'next' }),
    ]);
    expect(await old.deps.ledger.claimRows({ ...lease, limit: 5 })).toBe('lost');
    const all = await next.deps.ledger.claimRows({ ...taken, limit: 100 });
    const rowsOf = (one: typeof claim): { row: number; fence: number }[] =>
      one === 'lost' ? [] : one.rows.map(({ row }) => ({ row: row.row, fence: row.fence }));
    expect(rowsOf(all)).toHaveLength(specs.length);
    await Promise.all([
      ...rowsOf(claim).map((row) => old.submit({ ...keyOf(row.row), ...row })),
      ...rowsOf(all).map((row) => next.submit({ ...keyOf(row.row), ...row })),
    ]);
    expect(await world.paidRequests()).toBe(specs.length);
    expect(new Set(world.charges().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(specs.length);
  });

  it('taken between claim and intent', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const [old, next] = [await world.worker(), await world.worker()];
    await claimAnew(old.deps.ledger);
    await claimAnew(next.deps.ledger);
    const [before, after] = [
      { ...keyOf(1), fence: 1 },
      { ...keyOf(1), fence: 3 },
    ];
    expect((await world.row(1)).fence).toBe(after.fence);
    expect(await old.submit(before)).toEqual({ verdict: 'blocked', next: { type: 'ended' } });
    expect(await old.reconcile(before)).toEqual({ verdict: 'blocked', next: { type: 'ended' } });
    expect(await world.attempts(1)).toEqual([]);
    expect(await next.submit(after)).toMatchObject({ verdict: 'accepted' });
    expect(await world.attempts(1)).toEqual(['speech 1 accepted']);
    expect(world.charges()).toHaveLength(1);
  });

  it('taken between intent and send', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const stop = world.holdAt('after-intent');
    const clock = movableClock();
    const old = await world.worker({ atFaultPoint: stop.atFaultPoint, clock });
    await claimAnew(old.deps.ledger);
    const sending = old.submit({ ...keyOf(1), fence: 1 });
    await stop.reached;
    const next = await world.worker({ clock });
    const { rows } = await claimAnew(next.deps.ledger);
    expect(rows.map(({ row, charges }) => [row.fence, charges[0]?.state])).toEqual([[3, 'sending']]);
    expect(await next.reconcile({ ...keyOf(1), fence: 3 })).toMatchObject({ verdict: 'unknown' });
    // Longer than a lane stays with whoever stands still.
    clock.move({ wall: 10_000, monotonic: 10_000 });
    stop.release();
    expect(await sending).toMatchObject({ verdict: 'not-accepted' });
    expect(await world.paidRequests()).toBe(0);
    expect(await next.drive(1)).toEqual({ type: 'ended' });
    expect(await world.attempts(1)).toEqual(['speech 1 not-accepted', 'speech 2 accepted']);
    expect(world.charges()).toHaveLength(1);
  });

  it('two workers with one lane', async () => {
    const world = await createWorld({ createMs: [5, 20], jobMs: [0, 50] });
    const specs = Array.from({ length: 40 }, () => tts());
    await world.fill(specs);
    const [old, next] = [await world.worker(), await world.worker()];
    const first = slice(old);
    await waitFor(() => world.charges().length >= 5);
    // Temporal takes the first for dead, which it is not.
    const reports = await Promise.all([first, slice(next)]);
    expect(reports).toEqual([{ then: 'more' }, { then: 'idle' }]);
    expect(world.charges()).toHaveLength(specs.length);
    expect(new Set(world.charges().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(specs.length);
    expect((await (await world.look()).counts(BATCH)).outcomes).toMatchObject({ succeeded: specs.length });
  });

  it("the old holder's answer comes after the take-over", async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const stop = world.holdAt('after-answer');
    const old = await world.worker({ atFaultPoint: stop.atFaultPoint });
    await claimAnew(old.deps.ledger);
    const sending = old.submit({ ...keyOf(1), fence: 1 });
    await stop.reached;
    const next = await world.worker();
    await claimAnew(next.deps.ledger);
    expect(await next.reconcile({ ...keyOf(1), fence: 3 })).toMatchObject({ verdict: 'unknown' });
    expect((await world.row(1)).outcome).toBe('unknown');
    stop.release();
    await sending;
    expect(await world.attempts(1)).toEqual(['speech 1 accepted']);
    expect(await next.drive(1)).toEqual({ type: 'ended' });
    expect((await world.row(1)).outcome).toBe('succeeded');
    expect(world.charges()).toHaveLength(1);
    expect(await world.paidRequests()).toBe(1);
  });

  it('a process with two lanes leaves the last to a worker that has none', async () => {
    const world = await createWorld({ jobMs: [600_000, 600_000] });
    await world.fill([tts(), tts()]);
    const worker = await world.worker();
    const { ledger, realm } = worker.deps;
    const end = new AbortController();
    const lanes = [1, 2].map((lane) =>
      runLane(worker.deps, { batch: BATCH, lane, lanes: 2, run: 'run' }, end.signal, () => undefined),
    );
    await waitFor(() => world.charges().length === 2);
    await ledger.beat({ ...realm, owner: 'free' });
    expect(await lanes[1]).toEqual({ then: 'more' });
    expect(await ledger.laneOwners(BATCH)).toEqual([{ lane: 1, owner: worker.deps.owner }]);
    end.abort();
    expect(await lanes[0]).toEqual({ then: 'more' });
  });

  it('a slice ends with a request on the wire', async () => {
    const world = await createWorld({ plan: { rules: [{ on: 'create', fault: { kind: 'late', ms: 300 } }] } });
    await world.fill([tts()]);
    const end = new AbortController();
    const ending = slice(await world.worker(), end.signal);
    await waitFor(() => world.charges().length === 1);
    expect(await world.attempts(1)).toEqual(['speech 1 sending']);
    end.abort();
    expect(await ending).toEqual({ then: 'more' });
    expect(await world.attempts(1)).toEqual(['speech 1 accepted']);
    expect(await (await world.look()).laneOwners(BATCH)).toEqual([]);

    expect(await slice(await world.worker())).toEqual({ then: 'idle' });
    expect((await world.row(1)).outcome).toBe('succeeded');
    expect(await world.paidRequests()).toBe(1);
  });
});
