import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openManifest } from '../../inputs/manifest-source.ts';
import { summarizeManifest } from '../../inputs/read-manifest.ts';
import { findOrLoadBatch } from '../../batches/load-batch.ts';
import { waitFor } from '../support/wait-for.ts';
import { BATCH, keyOf, lipSync, settingsOf, tts } from './rows.ts';
import { movableClock } from './worker.ts';
import { createWorld } from './world.ts';
import { claimAnew } from '../ledger/setup.ts';

/** Two at once, zombies and clocks of docs/decisions/one-charge.md. A zombie is held at a moment and let go later. */

describe('one charge: two at once', () => {
  it('two workers with the same attempt', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const workers = await Promise.all(Array.from({ length: 4 }, () => world.worker()));
    const reports = await Promise.all(workers.map((worker) => worker.submit(keyOf(1))));
    expect(reports.filter(({ verdict }) => verdict === 'accepted').length).toBeGreaterThan(0);
    expect(await world.attempts(1)).toEqual(['speech 1 accepted']);
    expect(world.charges()).toHaveLength(1);
    expect(await world.paidRequests()).toBe(1);
  });

  it('reconcile overtakes a slow submit', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const slow = world.holdAt('before-intent');
    const submitting = (await world.worker({ atFaultPoint: slow.atFaultPoint })).submit(keyOf(1));
    await slow.reached;
    expect(await (await world.worker()).reconcile(keyOf(1))).toMatchObject({ verdict: 'revoked' });
    slow.release();
    expect(await submitting).toMatchObject({ verdict: 'revoked', next: { type: 'submit', at: { attempt: 2 } } });
    expect(await world.paidRequests()).toBe(0);
  });

  it('a slow submit overtakes reconcile', async () => {
    const world = await createWorld({ plan: { rules: [{ on: 'create', fault: { kind: 'late', ms: 300 } }] } });
    await world.fill([tts()]);
    const slow = await world.worker();
    const submitting = slow.submit(keyOf(1));
    await waitFor(() => world.charges().length === 1);
    const other = await world.worker();
    expect(await other.reconcile(keyOf(1))).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    expect(await submitting).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect(await other.drive(1)).toEqual({ type: 'ended' });
    expect((await world.row(1)).outcome).toBe('succeeded');
    expect(world.charges()).toHaveLength(1);
  });

  it('adopted while another gives it up', async () => {
    for (const onUnknown of ['hold', 'resubmit'] as const) {
      const world = await createWorld({
        plan: { rules: [{ on: 'create', times: 1, fault: { kind: 'accept-then-500' } }], echoInputs: true },
      });
      await world.fill([lipSync()], { onUnknown });
      const key = keyOf(1, 1, 'lip-sync');
      const other = await world.worker();
      // It has read a list without the job, and stands still right before it gives up.
      const slow = await world.worker({
        change: ({ api, ledger }) => ({
          api: { ...api, listJobs: () => Promise.resolve({ jobs: [], hasMore: false }) },
          ledger: {
            ...ledger,
            giveUp: async (...what) => {
              expect(await other.reconcile(key)).toMatchObject({ verdict: 'accepted' });
              return ledger.giveUp(...what);
            },
          },
        }),
      });
      await slow.submit(key);
      expect(await slow.reconcile(key)).toMatchObject({ next: { type: 'wait' } });
      await other.drive(1);
      expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 1 });
      expect(world.charges()).toHaveLength(1);
    }
  });

  it('two batches of one name started at once', async () => {
    const world = await createWorld();
    const file = join(world.folder, 'b.csv');
    await writeFile(file, 'text,voice\nOne.,narrator\nTwo.,narrator\nThree.,narrator\n');
    const source = await openManifest(file);
    const settings = settingsOf({});
    const options = {
      defaults: {},
      map: {},
      strict: false,
      nameTemplate: '{id}.{ext}',
      prices: settings.prices,
      tts: 'job',
    } as const;
    const checked = await summarizeManifest(source, options);
    const workers = await Promise.all([world.worker(), world.worker()]);
    const starts = await Promise.all(
      workers.map(async ({ deps: { ledger, realm } }) =>
        findOrLoadBatch({
          ledger,
          source,
          options,
          identity: { name: BATCH, digest: 'd1', apiUrl: realm.apiUrl, account: realm.account },
          settings,
          givesReading: false,
          givesTemplate: false,
          checked,
        }),
      ),
    );
    expect(starts.map(({ type }) => type).sort()).toEqual(['known', 'new']);
    expect(starts.map(({ batch }) => batch.rows)).toEqual([3, 3]);
    await Promise.all(workers.flatMap((worker) => [1, 2, 3].map((row) => worker.drive(row))));
    expect(
      world
        .charges()
        .map(({ text }) => text)
        .sort(),
    ).toEqual(['One.', 'Three.', 'Two.']);
  });
});

describe('one charge: zombies and clocks', () => {
  it('zombie before the intent', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const stop = world.holdAt('before-intent');
    const zombie = (await world.worker({ atFaultPoint: stop.atFaultPoint })).submit(keyOf(1));
    await stop.reached;
    const other = await world.worker();
    await other.reconcile(keyOf(1));
    expect(await other.drive(1)).toEqual({ type: 'ended' });
    stop.release();
    expect(await zombie).toEqual({ verdict: 'revoked', next: { type: 'ended' } });
    expect(world.charges()).toHaveLength(1);
    expect(await world.paidRequests()).toBe(1);
  });

  it('zombie between intent and send', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const stop = world.holdAt('after-intent');
    const clock = movableClock();
    const zombie = (await world.worker({ atFaultPoint: stop.atFaultPoint, clock })).submit(keyOf(1));
    await stop.reached;
    const other = await world.worker({ clock });
    expect(await other.reconcile(keyOf(1))).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    clock.move({ wall: 5_100, monotonic: 5_100 });
    stop.release();
    expect(await zombie).toMatchObject({ verdict: 'not-accepted', next: { type: 'submit', at: { attempt: 2 } } });
    expect(await world.paidRequests()).toBe(0);

    // The row is open again, free for whoever claims next.
    expect((await claimAnew(other.deps.ledger)).rows.map(({ row }) => row.row)).toEqual([1]);
    expect(await other.submit(keyOf(1, 2))).toMatchObject({ verdict: 'accepted' });
    expect(await world.attempts(1)).toEqual(['speech 1 not-accepted', 'speech 2 accepted']);
    expect(world.charges()).toHaveLength(1);
  });

  it('zombie after the send', async () => {
    const world = await createWorld();
    await world.fill([tts()]);
    const stop = world.holdAt('after-answer');
    const zombie = (await world.worker({ atFaultPoint: stop.atFaultPoint })).submit(keyOf(1));
    await stop.reached;
    const other = await world.worker();
    expect(await other.reconcile(keyOf(1))).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    expect(await other.deps.ledger.closeBatch(BATCH)).toBe(0);
    stop.release();
    expect(await zombie).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    // The batch, which had been closed, is open again: its next round waits for the job.
    expect(await other.deps.ledger.closeBatch(BATCH)).toBe(1);
    expect(await other.drive(1)).toEqual({ type: 'ended' });
    expect((await world.row(1)).outcome).toBe('succeeded');
    expect(world.charges()).toHaveLength(1);
  });

  it('the wall clock jumps back', async () => {
    // An hour passed, and the wall clock was set back by as much.
    await expectNothingSentAfter({ wall: 0, monotonic: 3_600_000 });
  });

  it('the laptop slept', async () => {
    await expectNothingSentAfter({ wall: 3_600_000, monotonic: 0 });
  });
});

/** Lets the clocks pass between intent and send. Nothing may be sent then; the next attempt may. */
async function expectNothingSentAfter(by: { wall: number; monotonic: number }): Promise<void> {
  const world = await createWorld();
  await world.fill([tts()]);
  const stop = world.holdAt('after-intent');
  const clock = movableClock();
  const worker = await world.worker({ atFaultPoint: stop.atFaultPoint, clock });
  const submitting = worker.submit(keyOf(1));
  await stop.reached;
  clock.move(by);
  stop.release();
  expect(await submitting).toMatchObject({ verdict: 'not-accepted', next: { type: 'submit', at: { attempt: 2 } } });
  expect(await world.paidRequests()).toBe(0);
  expect(await worker.drive(1)).toEqual({ type: 'ended' });
  expect(world.charges()).toHaveLength(1);
}
