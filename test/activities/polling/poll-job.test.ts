/** @slow */
import { describe, expect, it } from '@jest/globals';
import { loadAttempt } from '../../../activities/attempt.ts';
import { waitedJob } from '../../../activities/polling/waited-job.ts';
import { ApiError } from '../../../api/speech-api.ts';
import { waitFor } from '../../support/wait-for.ts';
import { dub, keyOf, lipSync, tts } from '../rows.ts';
import { reads, withJob, type Rule } from '../with-job.ts';
import { fastClock, movableClock } from '../worker.ts';
import { createWorld } from '../world.ts';
import { redriveNow } from '../../ledger/setup.ts';

describe('polling jobs', () => {
  it('counts a job that is unknown for a moment apart from links that are dead', async () => {
    const world = await createWorld({
      plan: {
        rules: [
          { on: 'read', fault: { kind: 'status', status: 404 }, times: 5 },
          { on: 'read', fault: 'dead-link', times: 5 },
        ],
      },
    });
    await world.fill([tts()]);
    await (await world.worker()).submit(keyOf(1));
    const worker = await world.worker({ clock: fastClock(60) });
    await worker.wait([[1]]);
    expect((await world.row(1)).outcome).toBe('succeeded');
    expect(await reads(world)).toBe(11);
  });

  it('takes a link under the name of an input for the result, if it was not sent', async () => {
    const rule = { on: 'read', operation: 'lip-sync-job', fault: 'link-name' } as const;
    const world = await createWorld({ plan: { rules: [rule] } });
    await world.fill([lipSync(), dub()]);
    const worker = await world.worker();
    for (const row of [1, 2]) {
      await worker.drive(row);
      expect(await world.row(row)).toMatchObject({ outcome: 'succeeded', failure: null, file: { extension: 'mp4' } });
    }
    expect(world.charges().map(({ operation }) => operation)).toEqual(['lip-sync-job', 'speech-job', 'lip-sync-job']);
  });

  it('tells what a completed job without a link had in its place', async () => {
    const rule = { on: 'read', operation: 'lip-sync-job', fault: { kind: 'link-name', name: 'movieUrl' } } as const;
    const world = await createWorld({ plan: { rules: [rule] } });
    await world.fill([lipSync()]);
    await (await world.worker()).drive(1);
    const { outcome, failure } = await world.row(1);
    expect({ outcome, failure }).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
    expect(failure?.cause).toBe('no link in the answer about a completed job');
    const links = /charged\)\. Its answer has: data\.movieUrl "http:\/\/127\.0\.0\.1:\d+\/…", success true/;
    expect(failure?.message).toMatch(links);
  });

  it('finds the link under a member that the setting names, of jobs too whose rows have failed for want of it, free', async () => {
    const rule = (operation: 'speech-job' | 'lip-sync-job'): Rule => {
      return { on: 'read', operation, fault: { kind: 'link-name', name: 'movieUrl' } };
    };
    const world = await createWorld({ plan: { rules: [rule('speech-job'), rule('lip-sync-job')] } });
    await world.fill([lipSync(), tts(), dub()]);
    const blind = await world.worker();
    for (const row of [1, 2, 3]) {
      await blind.drive(row);
      expect(await world.row(row)).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
    }
    const paid = world.charges().length;
    await redriveNow(
      blind.deps.ledger,
      keyOf(1).batch,
      [1, 2, 3].map((row) => ({ row, take: 1, how: { type: 'wait' } })),
    );
    const seeing = await world.worker({ resultMembers: ['clip', 'data.movieUrl', 'movieUrl'] });
    for (const row of [1, 2, 3]) {
      await seeing.drive(row);
      expect(await world.row(row)).toMatchObject({ outcome: 'succeeded', failure: null, take: 1 });
    }
    // Only the lip-sync of the dub had not been paid for.
    expect(
      world
        .charges()
        .slice(paid)
        .map(({ operation }) => operation),
    ).toEqual(['lip-sync-job']);
  });

  it('does not add up polls that failed between polls that worked', async () => {
    const { world, worker } = await withJob({ on: 'read', fault: 'unknown-status', times: 20 });
    let polls = 0;
    const shaky = await world.worker({
      clock: fastClock(60),
      change: ({ api }) => ({
        api: {
          ...api,
          readJob: (...job) =>
            ++polls % 2 === 1 && polls < 20
              ? Promise.reject(new ApiError({ class: 'BadRequest', message: 'no such job', status: 404 }))
              : api.readJob(...job),
        },
      }),
    });
    await shaky.wait([[1]]);
    expect((await world.row(1)).outcome).toBe('succeeded');
    expect(polls).toBeGreaterThan(20);
    expect(worker.faults).toEqual([]);
  });

  it('makes a new take of a job that failed, as often as the user pays for in advance', async () => {
    const fails = { on: 'create', fault: { kind: 'job-fails', message: 'hoarse' } } as const;
    const world = await createWorld({ plan: { rules: [fails] } });
    await world.fill([tts(), dub()], { retakes: 2 });
    const worker = await world.worker();
    await worker.submit(keyOf(1));
    const next = { type: 'submit', at: { row: 1, step: 'speech', take: 2, attempt: 1 } };
    expect(await worker.wait([[1]])).toEqual(new Map([[1, next]]));
    expect(await world.row(1)).toMatchObject({ outcome: null, state: 'waiting', take: 2 });
    for (const row of [1, 2]) await worker.drive(row);
    for (const row of [1, 2]) {
      expect(await world.row(row)).toMatchObject({ outcome: 'failed', failure: { class: 'JobFailed' }, take: 3 });
    }
    expect(world.charges()).toHaveLength(6);
    const reasons = await worker.deps.ledger.takesOf('b', 1);
    expect(reasons.map(({ take, reason }) => [take, reason])).toEqual([
      [2, 'retake'],
      [3, 'retake'],
    ]);
  });

  it('keeps the speech of a dub whose lip-sync is taken again', async () => {
    const rule = { on: 'create', operation: 'lip-sync-job', fault: { kind: 'job-fails', message: 'dark' }, times: 1 };
    const world = await createWorld({ plan: { rules: [rule as Rule] } });
    await world.fill([dub()], { retakes: 1 });
    await (await world.worker()).drive(1);
    expect(await world.row(1)).toMatchObject({
      outcome: 'succeeded',
      take: 2,
      redoFrom: 'lip-sync',
      file: { key: `${await world.stem(1, 'lip-sync', 2)}.mp4` },
    });
    expect(world.charges().map(({ operation }) => operation)).toEqual(['speech-job', 'lip-sync-job', 'lip-sync-job']);
  });

  it('waits again for a job that was overdue, counted from when the user asked', async () => {
    const { world, worker } = await withJob({ on: 'read', fault: 'unknown-status' }, {}, 20_000);
    await worker.wait([[1]]);
    expect((await world.row(1)).outcome).toBe('overdue');
    const { ledger } = worker.deps;
    await world.change('plan', { rules: [] });
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'wait' } }]);
    await (await world.worker()).wait([[1]]);
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 1 });
    expect(await world.paidRequests()).toBe(1);
  });

  it('gets over failed polls after a sleep beyond the deadline, and fetches what was finished long ago', async () => {
    const { world } = await withJob({ on: 'read', fault: { kind: 'status', status: 503 }, times: 7 });
    const awake = fastClock(60);
    const clock = {
      ...awake,
      now: () => ({ monotonic: awake.now().monotonic, wall: awake.now().wall + 10 * 3_600_000 }),
    };
    await (await world.worker({ clock })).wait([[1]]);
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', failure: null });
    expect(await reads(world)).toBe(8);
  });

  it('counts the time of a lip-sync from its own acceptance, also where its speech was waited for again', async () => {
    const world = await createWorld();
    await world.fill([dub()]);
    const worker = await world.worker();
    await worker.submit(keyOf(1));
    await worker.wait([[1]]);
    await worker.deps.ledger.giveUp(keyOf(1, 1, 'lip-sync'), { outcome: 'overdue' });
    await redriveNow(worker.deps.ledger, 'b', [{ row: 1, take: 1, how: { type: 'wait' } }]);
    const key = keyOf(1, 1, 'lip-sync');
    await worker.submit(key);
    const job = waitedJob(key, await loadAttempt(worker.deps, key));
    expect(job?.loaded.row.waitSince).toBeLessThanOrEqual(job?.acceptedAt ?? 0);
    expect(job?.waitedSince).toBe(job?.acceptedAt);
  });

  it('lets go of its rows within a second when the batch is stopped at once, and keeps their job ids', async () => {
    const world = await createWorld({ jobMs: [600_000, 600_000] });
    await world.fill([tts('one'), tts('two')]);
    const worker = await world.worker();
    for (const row of [1, 2]) await worker.submit(keyOf(row));
    const at = [1, 2].map((row) => ({ row, step: 'speech', take: 1, attempt: 1 }) as const);
    const slice = worker.slice(at, 600_000);
    await (await world.look()).stopNow('b');
    const { settled } = await slice;
    expect(settled.toSorted((a, b) => a.row - b.row)).toEqual([1, 2].map((row) => ({ row, next: { type: 'ended' } })));
    expect(await world.row(1)).toMatchObject({ outcome: 'overdue', charges: [{ jobId: world.charges()[0]?.jobId }] });
  });

  it('counts a result whose download was under way when the batch was stopped at once', async () => {
    const rule = { on: 'download', fault: { kind: 'late', ms: 1_500 } } as const;
    const world = await createWorld({ plan: { rules: [rule] } });
    await world.fill([tts()]);
    const worker = await world.worker();
    await worker.submit(keyOf(1));
    const slice = worker.slice([{ row: 1, step: 'speech', take: 1, attempt: 1 }], 600_000);
    await waitFor(() => worker.deps.downloads.activeCount === 1);
    await (await world.look()).stopNow('b');
    expect((await slice).settled).toHaveLength(1);
    expect((await world.row(1)).outcome).toBe('overdue');
    await worker.deps.fetches.idle();
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', failure: null });
  });

  it('reads on, and pauses nothing, where a read is refused for want of credits, until the job is overdue', async () => {
    const refusal = { kind: 'status', status: 402 } as const;
    const brief = await withJob({ on: 'read', fault: refusal, times: 3 });
    await brief.worker.wait([[1]]);
    expect((await brief.world.row(1)).outcome).toBe('succeeded');
    expect(await brief.worker.deps.ledger.findBatch('b')).toMatchObject({ control: 'running', pauseReason: null });
    const lasting = await withJob({ on: 'read', fault: refusal }, {}, 2_000);
    await lasting.worker.wait([[1]]);
    expect((await lasting.world.row(1)).outcome).toBe('overdue');
    expect(await lasting.worker.deps.ledger.findBatch('b')).toMatchObject({ control: 'running', pauseReason: null });
  });

  it('does not read for ever with a refused token in a batch that is being stopped', async () => {
    const { world, worker } = await withJob({ on: 'read', fault: { kind: 'status', status: 401 } });
    await worker.deps.ledger.setControl('b', 'stopping');
    await worker.wait([[1]]);
    expect(await world.row(1)).toMatchObject({
      outcome: 'overdue',
      failure: { class: 'Overdue', message: expect.stringContaining('cannot be read') },
      charges: [{ state: 'accepted', jobId: world.charges()[0]?.jobId }],
    });
    expect(await reads(world)).toBe(6);
  });

  it('writes nothing more once its downloads are over, also a long one', async () => {
    const rule = { on: 'download', fault: { kind: 'late', ms: 700 } } as const;
    const world = await createWorld({ plan: { rules: [rule] } });
    await world.fill([tts()]);
    let [open, written] = [0, 0];
    const worker = await world.worker({
      change: ({ ledger }) => ({
        ledger: {
          ...ledger,
          changeRunning: async (...row) => {
            open += 1;
            // As on a slow disk: the download is over first.
            await new Promise((resolve) => setTimeout(resolve, 600));
            const standing = await ledger.changeRunning(...row);
            [open, written] = [open - 1, written + 1];
            return standing;
          },
        },
      }),
    });
    await worker.submit(keyOf(1));
    await worker.wait([[1]]);
    await worker.deps.fetches.idle();
    expect([open, written]).toEqual([0, 1]);
    expect((await world.row(1)).outcome).toBe('succeeded');
  });

  it('polls jobs in time after the wall clock was set back an hour', async () => {
    const world = await createWorld({ jobMs: [0, 0] });
    await world.fill([tts()]);
    const clock = movableClock();
    const worker = await world.worker({ clock });
    await worker.submit(keyOf(1));
    clock.move({ wall: -3_600_000 });
    await worker.wait([[1]]);
    expect((await world.row(1)).outcome).toBe('succeeded');
  });
});
