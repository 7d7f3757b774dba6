import { describe, expect, it } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../activities/index.ts';
import { LedgerUnreachable } from '../../ledger/errors.ts';
import { BATCH, keyOf, tts } from './rows.ts';
import { createWorld } from './world.ts';

describe('createActivities', () => {
  it('walks a batch from its opening to its close', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const activities = createActivities((await world.worker()).deps);
    const env = (): MockActivityEnvironment => new MockActivityEnvironment();
    expect(await activities.openBatch(BATCH)).toEqual({ rows: 1, control: 'running', submits: 8, window: 100 });
    const at = { row: 1, step: 'speech', take: 1, attempt: 1, hold: 1 } as const;
    const claim = { batch: BATCH, run: 'r', lane: 1, claim: 1, limit: 5 };
    expect(await activities.claimRows(claim)).toEqual({
      rows: [{ row: 1, kind: 'tts', next: { do: 'submit', at } }],
      control: 'running',
      exhausted: true,
    });
    expect(await env().run(() => activities.submit({ ...keyOf(1), hold: 1 }))).toEqual({
      verdict: 'accepted',
      next: { do: 'wait', at },
    });
    expect(await env().run(() => activities.reconcile({ ...keyOf(1), hold: 1 }))).toEqual({
      verdict: 'accepted',
      next: { do: 'wait', at },
    });
    expect(await activities.closeBatch(BATCH)).toEqual({ open: 1, control: 'running' });
    const waited = await env().run(() => activities.awaitAndFetch({ batch: BATCH, rows: [at], sliceMs: 5_000 }));
    expect(waited).toEqual({ settled: [{ row: 1, next: { do: 'ended' } }], control: 'running' });
    expect(await activities.closeBatch(BATCH)).toEqual({ open: 0, control: 'running' });
    await (await world.look()).setControl(BATCH, 'paused');
    const paused = await env().run(() => activities.applyControl(BATCH));
    // A finished batch stays as it is.
    expect(paused).toEqual({ control: 'running', submits: 8, window: 100 });
  });

  it('refuses a batch that the ledger does not have, once and for all', async () => {
    const world = await createWorld();
    const activities = createActivities((await world.worker()).deps);
    await expect(activities.openBatch('nothing')).rejects.toMatchObject({ type: 'BatchMissing', nonRetryable: true });
  });

  it('refuses for good what an older ledger does not know, so that no workflow retries it for ever', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const activities = createActivities((await world.worker()).deps);
    const env = new MockActivityEnvironment();
    const reconciling = env.run(() => activities.reconcile(keyOf(1, 7)));
    await expect(reconciling).rejects.toMatchObject({ type: 'LedgerMisuse', nonRetryable: true });
  });

  it('beats from the start, and ends its wait when the server takes the work away', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const death = world.holdAt('after-intent');
    void (await world.worker({ witness: death.witness })).submit(keyOf(1));
    await death.reached;
    const activities = createActivities((await world.worker()).deps);
    const env = new MockActivityEnvironment();
    let beats = 0;
    env.on('heartbeat', () => (beats += 1));
    await (await world.look()).setControl(BATCH, 'paused');
    const pausing = env.run(() => activities.applyControl(BATCH));
    pausing.catch(() => undefined);
    expect(beats).toBe(1);
    env.cancel();
    await expect(pausing).rejects.toMatchObject({ name: 'AbortError', cause: expect.any(CancelledFailure) });
  });

  it('tells a fault that no retry heals, and throws it all the same', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const gone = new LedgerUnreachable('ledger.db', 'the disk is full', 'Free some space.');
    const worker = await world.worker({
      change: ({ ledger }) => ({ ledger: { ...ledger, closeBatch: () => Promise.reject(gone) } }),
    });
    await expect(createActivities(worker.deps).closeBatch(BATCH)).rejects.toBe(gone);
    expect(worker.faults).toEqual([gone]);
    await expect(createActivities(worker.deps).openBatch('nothing')).rejects.toThrow();
    expect(worker.faults).toHaveLength(1);
  });
});
