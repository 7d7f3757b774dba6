import { describe, expect, it } from '@jest/globals';
import type { Move } from '../../contract/batch.ts';
import { waitFor } from '../support/wait-for.ts';
import { openFront } from './front.ts';
import { BATCH, keyOf, lipSync, tts } from './rows.ts';
import { createWorld } from './world.ts';

const ROWS = 12;
const numbers = Array.from({ length: ROWS }, (_, i) => i + 1);

/** What lanes share, by the settings of these tests. */
const SHARED = { submits: 8, window: 100 };

describe('applyControl', () => {
  it('pauses: no paid request after the answer, and what was on the wire is fetched', async () => {
    const world = await createWorld({ createMs: [200, 300] });
    const front = await openFront(world);
    const { apiUrl } = front;
    await world.fill(
      numbers.map((n) => tts(`Line ${n}.`)),
      { apiUrl, limits: { submits: 3 } },
    );
    const [one, two] = await Promise.all([world.worker({ apiUrl }), world.worker({ apiUrl })]);
    const drive = (row: number): Promise<Move> => (row % 2 === 0 ? one : two).drive(row);
    const driven = numbers.map(drive);
    await waitFor(() => front.now() === 3);
    expect(await one.control('paused')).toEqual({ control: 'paused', ...SHARED, submits: 3 });
    expect(front.now()).toBe(0);
    const paid = await world.paidRequests();
    const moves = await Promise.all(driven);
    expect(await world.paidRequests()).toBe(paid);
    expect(moves.filter((move) => move.do === 'submit')).toHaveLength(ROWS - paid);
    expect(await (await world.look()).sending(BATCH)).toEqual([]);
    expect((await (await world.look()).counts(BATCH)).outcomes.succeeded).toBe(paid);

    expect(await two.control('running')).toEqual({ control: 'running', ...SHARED, submits: 3 });
    await Promise.all(numbers.map(drive));
    expect((await (await world.look()).counts(BATCH)).outcomes.succeeded).toBe(ROWS);
    expect(world.charges()).toHaveLength(ROWS);
    expect(front.most()).toBeLessThanOrEqual(3);
  });

  it('tells the submit that is held what holds now', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const worker = await world.worker();
    await worker.control('paused');
    expect(await worker.submit(keyOf(1))).toEqual({
      verdict: 'held',
      next: { do: 'submit', at: { row: 1, step: 'speech', take: 1, attempt: 1 } },
      control: 'paused',
    });
    expect(await world.attempts(1)).toEqual([]);
  });

  it('stops: cancels what was never sent, and only that', async () => {
    const world = await createWorld({
      createMs: [200, 200],
      plan: { rules: [{ on: 'create', match: { text: 'refused' }, fault: { kind: 'status', status: 429 } }] },
    });
    await world.fill([tts('accepted'), tts('refused'), tts('never sent'), tts('never sent')]);
    const worker = await world.worker();
    const submits = [worker.submit(keyOf(1)), worker.submit(keyOf(2))];
    await waitFor(async () => (await worker.deps.ledger.sending(BATCH)).length === 2);
    const stopping = worker.control('stopping');
    // What was never sent is cancelled while the others are still on the wire.
    await waitFor(async () => (await world.row(3)).outcome === 'cancelled');
    expect(await worker.deps.ledger.sending(BATCH)).toHaveLength(2);
    expect(await stopping).toEqual({ control: 'stopping', ...SHARED });
    await Promise.all(submits);
    const outcomes = await Promise.all([1, 2, 3, 4].map(async (row) => (await world.row(row)).outcome));
    expect(outcomes).toEqual([null, 'cancelled', 'cancelled', 'cancelled']);
    expect(await worker.drive(1)).toEqual({ do: 'ended' });
    expect((await world.row(1)).outcome).toBe('succeeded');
    expect(world.charges()).toHaveLength(1);
  });

  it('does not cancel a row that may have been charged', async () => {
    const world = await createWorld({
      plan: { rules: [{ on: 'create', fault: 'accept-then-500' }], echoInputs: true },
    });
    await world.fill([lipSync()]);
    const worker = await world.worker();
    expect(await worker.submit(keyOf(1, 1, 'lip-sync'))).toMatchObject({
      verdict: 'unknown',
      next: { do: 'reconcile' },
    });
    await worker.control('stopping');
    expect((await world.row(1)).outcome).toBeNull();
    expect(await worker.drive(1)).toEqual({ do: 'ended' });
    expect((await world.row(1)).outcome).toBe('succeeded');
  });

  it('answers two wishes at once with what holds in the end', async () => {
    const world = await createWorld({ createMs: [200, 200] });
    await world.fill([tts(), tts()]);
    const [one, two] = [await world.worker(), await world.worker()];
    const submitting = one.submit(keyOf(1));
    await waitFor(async () => (await one.deps.ledger.sending(BATCH)).length === 1);
    expect(await Promise.all([one.control('paused'), two.control('stopping')])).toEqual([
      { control: 'stopping', ...SHARED },
      { control: 'stopping', ...SHARED },
    ]);
    await submitting;
    // A stop is never taken back.
    expect(await two.control('running')).toEqual({ control: 'stopping', ...SHARED });
    expect((await world.row(2)).outcome).toBe('cancelled');
  });

  it('does not wait for the wire once the batch runs again', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const death = world.holdAt('after-intent');
    void (await world.worker({ witness: death.witness })).submit(keyOf(1));
    await death.reached;
    const worker = await world.worker();
    const pausing = worker.control('paused');
    await waitFor(async () => (await worker.deps.ledger.findBatch(BATCH))?.control === 'paused');
    expect(await worker.control('running')).toEqual({ control: 'running', ...SHARED });
    expect(await pausing).toEqual({ control: 'running', ...SHARED });
  });
});
