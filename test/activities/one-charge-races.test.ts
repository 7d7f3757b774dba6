import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openManifest } from '../../inputs/manifest-source.ts';
import { summarizeManifest } from '../../inputs/read-manifest.ts';
import { findOrLoadBatch } from '../../batches/load-batch.ts';
import { OPTIONS } from '../inputs/manifest-file.ts';
import { waitFor } from '../support/wait-for.ts';
import { claimAnew } from '../ledger/setup.ts';
import { BATCH, keyOf, settingsOf, tts, lipSync } from './rows.ts';
import { adopt, movableClock } from './worker.ts';
import { createWorld, begin } from './world.ts';
import { ANN } from '../support/ann.ts';

/** Two at once, zombies and clocks of docs/decisions/one-charge.md. A zombie is held at a moment and let go later. */

const UNKNOWN = { verdict: 'unknown', next: { type: 'ended' } };

describe('one charge: two at once', () => {
  it('two workers with the same attempt', async () => {
    const { world } = await begin([tts()]);
    const workers = await Promise.all(Array.from({ length: 4 }, () => world.worker()));
    const reports = await Promise.all(workers.map((worker) => worker.submit(keyOf(1))));
    expect(reports.filter(({ verdict }) => verdict === 'accepted').length).toBeGreaterThan(0);
    expect(await world.attempts()).toEqual(['speech 1 accepted']);
    expect([world.charges().length, await world.paidRequests()]).toEqual([1, 1]);
  });

  it('reconcile overtakes a slow submit', async () => {
    const { world, worker } = await begin([tts()]);
    const slow = await world.stopAt('before-intent');
    expect(await worker.reconcile(keyOf(1))).toMatchObject({ verdict: 'revoked' });
    slow.release();
    expect(await slow.ended).toMatchObject({ verdict: 'revoked', next: { type: 'submit', at: { attempt: 2 } } });
    expect(await world.paidRequests()).toBe(0);
  });

  it('a slow submit overtakes reconcile', async () => {
    const rules = [{ on: 'create', fault: { kind: 'late', ms: 300 } }] as const;
    const { world, worker: slow } = await begin([tts()], { rules: [...rules] });
    const submitting = slow.submit(keyOf(1));
    await waitFor(() => world.charges().length === 1);
    const other = await world.worker();
    expect(await other.reconcile(keyOf(1))).toEqual(UNKNOWN);
    expect(await submitting).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect(await other.drive(1)).toEqual({ type: 'ended' });
    expect(await world.outcomes()).toEqual(['succeeded']);
    expect(world.charges()).toHaveLength(1);
  });

  it('adopted while another gives it up', async () => {
    for (const onUnknown of ['hold', 'resubmit'] as const) {
      const { world, worker: other } = await begin([lipSync()], {
        rules: [{ on: 'create', times: 1, fault: { kind: 'accept-then-500' } }],
        echoInputs: true,
        wanted: { onUnknown },
      });
      const key = keyOf(1, 1, 'lip-sync');
      // It has read a list without the job, and stands still right before it gives up.
      const slow = await world.worker({
        api: () => ({ listJobs: () => Promise.resolve({ jobs: [], hasMore: false }) }),
        ledger: (ledger) => ({
          giveUp: async (...what) => {
            expect(await other.reconcile(key)).toMatchObject({ verdict: 'accepted' });
            return ledger.giveUp(...what);
          },
        }),
      });
      await slow.submit(key);
      expect(await slow.reconcile(key)).toMatchObject({ next: { type: 'wait' } });
      await other.drive(1);
      expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 1 });
      expect(world.charges()).toHaveLength(1);
    }
  });

  it('a row that is about to be sent is given a job by hand', async () => {
    for (const moment of ['before-intent', 'after-intent'] as const) {
      const { world, worker: other } = await begin([tts()]);
      const jobId = await world.makeJob();
      const slow = await world.stopAt(moment);
      const isSent = moment === 'after-intent';
      const refused = { type: 'refused', why: { type: 'in-flight' } };
      expect(await adopt(other.deps, 1, jobId)).toMatchObject(isSent ? refused : { type: 'adopted', jobId });
      slow.release();
      expect(await slow.ended).toMatchObject({ verdict: 'accepted' });
      await other.drive(1);
      expect(await world.row()).toMatchObject({ outcome: 'succeeded', charges: [{ state: 'accepted' }] });
      expect(world.charges()).toHaveLength(isSent ? 2 : 1);
    }
  });

  it('two batches of one name started at once', async () => {
    const world = await createWorld();
    const file = join(world.folder, 'b.csv');
    await writeFile(file, 'text,voice\nOne.,narrator\nTwo.,narrator\nThree.,narrator\n');
    const source = await openManifest(file);
    const checked = await summarizeManifest(source, OPTIONS);
    const workers = await Promise.all([world.worker(), world.worker()]);
    const starts = await Promise.all(
      workers.map(async ({ deps: { ledger, realm } }) =>
        findOrLoadBatch({
          ...{ ledger, source, options: OPTIONS, settings: settingsOf({}), checked },
          identity: { name: BATCH, digest: 'd1', apiUrl: realm.apiUrl, account: realm.account },
          ...{ givesReading: false, givesTemplate: false, by: ANN },
        }),
      ),
    );
    expect(starts.map(({ type }) => type).sort()).toEqual(['known', 'new']);
    expect(starts.map(({ batch }) => batch.rows)).toEqual([3, 3]);
    await Promise.all(workers.flatMap((worker) => [1, 2, 3].map((row) => worker.drive(row))));
    expect(new Set(world.charges().map(({ text }) => text))).toEqual(new Set(['One.', 'Three.', 'Two.']));
    expect(world.charges()).toHaveLength(3);
  });
});

describe('one charge: zombies and clocks', () => {
  it('zombie before the intent', async () => {
    const { world, worker } = await begin([tts()]);
    const zombie = await world.stopAt('before-intent');
    await worker.reconcile(keyOf(1));
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    zombie.release();
    expect(await zombie.ended).toEqual({ verdict: 'revoked', next: { type: 'ended' } });
    expect([world.charges().length, await world.paidRequests()]).toEqual([1, 1]);
  });

  it('zombie between intent and send', async () => {
    const clock = movableClock();
    const { world, worker: other } = await begin([tts()], { clock });
    const zombie = await world.stopAt('after-intent', undefined, { clock });
    expect(await other.reconcile(keyOf(1))).toEqual(UNKNOWN);
    clock.move({ wall: 5_100, monotonic: 5_100 });
    zombie.release();
    expect(await zombie.ended).toMatchObject({ verdict: 'not-accepted', next: { type: 'submit', at: { attempt: 2 } } });
    expect(await world.paidRequests()).toBe(0);

    // The row is open again, free for whoever claims next.
    expect((await claimAnew(other.deps.ledger)).rows.map(({ row }) => row.row)).toEqual([1]);
    expect(await other.submit(keyOf(1, 2))).toMatchObject({ verdict: 'accepted' });
    expect(await world.attempts()).toEqual(['speech 1 not-accepted', 'speech 2 accepted']);
    expect(world.charges()).toHaveLength(1);
  });

  it('zombie after the send', async () => {
    const { world, worker: other } = await begin([tts()]);
    const zombie = await world.stopAt('after-answer');
    expect(await other.reconcile(keyOf(1))).toEqual(UNKNOWN);
    expect(await other.deps.ledger.closeBatch(BATCH)).toBe(0);
    zombie.release();
    expect(await zombie.ended).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    // The batch, which had been closed, is open again: its next round waits for the job.
    expect(await other.deps.ledger.closeBatch(BATCH)).toBe(1);
    expect(await other.drive(1)).toEqual({ type: 'ended' });
    expect(await world.outcomes()).toEqual(['succeeded']);
    expect(world.charges()).toHaveLength(1);
  });

  it('the wall clock jumps back', async () => {
    // An hour passed, and the wall clock was set back by as much.
    await expectNothingSentAfter({ wall: 0, monotonic: 3_600_000 });
  });

  it('the laptop slept', () => expectNothingSentAfter({ wall: 3_600_000, monotonic: 0 }));
});

/** Lets the clocks pass between intent and send. Nothing may be sent then; the next attempt may. */
async function expectNothingSentAfter(by: { wall: number; monotonic: number }): Promise<void> {
  const { world } = await begin([tts()]);
  const clock = movableClock();
  const { worker, ended, release } = await world.stopAt('after-intent', undefined, { clock });
  clock.move(by);
  release();
  expect(await ended).toMatchObject({ verdict: 'not-accepted', next: { type: 'submit', at: { attempt: 2 } } });
  expect(await world.paidRequests()).toBe(0);
  expect(await worker.drive(1)).toEqual({ type: 'ended' });
  expect(world.charges()).toHaveLength(1);
}
