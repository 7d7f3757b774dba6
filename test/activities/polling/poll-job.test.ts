/** @slow */
import { describe, expect, it } from '@jest/globals';
import { loadAttempt } from '../../../activities/attempt.ts';
import { toAwaitedJob } from '../../../activities/polling/awaited-job.ts';
import { ApiError } from '../../../api/speech-api.ts';
import { waitFor } from '../../support/wait-for.ts';
import { redriveNow } from '../../ledger/setup.ts';
import { keyOf, tts, lipSync, dub, FORGOTTEN, type Rule } from '../rows.ts';
import { movableClock, fastClock } from '../worker.ts';
import { begin, withJob } from '../world.ts';

describe('polling jobs', () => {
  it('counts a job that is unknown for a moment apart from links that are dead', async () => {
    const { world, worker } = await withJob([
      { ...FORGOTTEN, times: 5 },
      { on: 'read', fault: 'dead-link', times: 5 },
    ]);
    await worker.wait([[1]]);
    expect((await world.row()).outcome).toBe('succeeded');
    expect(await world.reads()).toBe(11);
  });

  it('takes a link under the name of an input for the result, if it was not sent', async () => {
    const rule = { on: 'read', operation: 'lip-sync-job', fault: 'link-name' } as const;
    const { world, worker } = await begin([lipSync(), dub()], { rules: [rule] });
    for (const row of [1, 2]) {
      await worker.drive(row);
      expect(await world.row(row)).toMatchObject({ outcome: 'succeeded', failure: null, file: { extension: 'mp4' } });
    }
    expect(world.operations()).toEqual(['lip-sync-job', 'speech-job', 'lip-sync-job']);
  });

  it('tells what a completed job without a link had in its place', async () => {
    const rule = { on: 'read', operation: 'lip-sync-job', fault: { kind: 'link-name', name: 'movieUrl' } } as const;
    const { world, worker } = await begin([lipSync()], { rules: [rule] });
    await worker.drive(1);
    const links = /charged\)\. Its answer has: data\.movieUrl "http:\/\/127\.0\.0\.1:\d+\/…", success true/;
    const cause = 'no link in the answer about a completed job';
    const failure = { class: 'ResultGone', cause, message: expect.stringMatching(links) };
    expect(await world.row()).toMatchObject({ outcome: 'failed', failure });
  });

  it('finds the link under a member that the setting names, of jobs too whose rows have failed for want of it, free', async () => {
    const rule = (operation: 'speech-job' | 'lip-sync-job'): Rule => {
      return { on: 'read', operation, fault: { kind: 'link-name', name: 'movieUrl' } };
    };
    const { world, worker: blind } = await begin([lipSync(), tts(), dub()], {
      rules: [rule('speech-job'), rule('lip-sync-job')],
    });
    const rows = [1, 2, 3];
    await blind.drive(...rows);
    for (const row of rows) expect((await world.row(row)).failure).toMatchObject({ class: 'ResultGone' });
    const paid = world.charges().length;
    const waits = rows.map((row) => ({ row, take: 1, how: { type: 'wait' } }) as const);
    await redriveNow(world.ledger, 'b', waits);
    const seeing = await world.worker({ resultMembers: ['clip', 'data.movieUrl', 'movieUrl'] });
    await seeing.drive(...rows);
    for (const row of rows)
      expect(await world.row(row)).toMatchObject({ outcome: 'succeeded', failure: null, take: 1 });
    // Only the lip-sync of the dub had not been paid for.
    expect(world.operations().slice(paid)).toEqual(['lip-sync-job']);
  });

  it('does not add up polls that failed between polls that worked', async () => {
    const { world, worker } = await withJob({ on: 'read', fault: 'unknown-status', times: 20 });
    let polls = 0;
    const shaky = await world.worker({
      clock: fastClock(60),
      api: (api) => ({
        readJob: (...job) =>
          ++polls % 2 === 1 && polls < 20
            ? Promise.reject(new ApiError({ class: 'BadRequest', message: 'no such job', status: 404 }))
            : api.readJob(...job),
      }),
    });
    await shaky.wait([[1]]);
    expect((await world.row()).outcome).toBe('succeeded');
    expect(polls).toBeGreaterThan(20);
    expect(worker.faults).toEqual([]);
  });

  it('makes a new take of a job that failed, as often as the user pays for in advance', async () => {
    const fails = { on: 'create', fault: { kind: 'job-fails', message: 'hoarse' } } as const;
    const { world, worker } = await begin([tts(), dub()], { rules: [fails], wanted: { retakes: 2 } });
    await worker.submit(keyOf(1));
    const next = { type: 'submit', at: { row: 1, step: 'speech', take: 2, attempt: 1 } };
    expect(await worker.wait([[1]])).toEqual(new Map([[1, next]]));
    expect(await world.row()).toMatchObject({ outcome: null, state: 'waiting', take: 2 });
    await worker.drive(1, 2);
    for (const row of [1, 2]) {
      expect(await world.row(row)).toMatchObject({ outcome: 'failed', failure: { class: 'JobFailed' }, take: 3 });
    }
    expect(world.charges()).toHaveLength(6);
    const takes = [2, 3].map((take) => ({ take, reason: 'retake' }));
    expect(await world.ledger.takesOf('b', 1)).toMatchObject(takes);
  });

  it('keeps the speech of a dub whose lip-sync is taken again', async () => {
    const fault = { kind: 'job-fails', message: 'dark' } as const;
    const { world, worker } = await begin([dub()], {
      rules: [{ on: 'create', operation: 'lip-sync-job', fault, times: 1 }],
      wanted: { retakes: 1 },
    });
    await worker.drive(1);
    expect(await world.row()).toMatchObject({
      outcome: 'succeeded',
      take: 2,
      redoFrom: 'lip-sync',
      file: { key: `${await world.stem(1, 'lip-sync', 2)}.mp4` },
    });
    expect(world.operations()).toEqual(['speech-job', 'lip-sync-job', 'lip-sync-job']);
  });

  it('waits again for a job that was overdue, counted from when the user asked', async () => {
    const { world, worker } = await withJob({ on: 'read', fault: 'unknown-status' }, 20_000);
    await worker.wait([[1]]);
    expect((await world.row()).outcome).toBe('overdue');
    await world.plan();
    await redriveNow(world.ledger, 'b', [{ row: 1, take: 1, how: { type: 'wait' } }]);
    await (await world.worker()).wait([[1]]);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 1 });
    expect(await world.paidRequests()).toBe(1);
  });

  it('gets over failed polls after a sleep beyond the deadline, and fetches what was finished long ago', async () => {
    const { world } = await withJob({ on: 'read', fault: { kind: 'status', status: 503 }, times: 7 });
    const awake = fastClock(60);
    const now = (): ReturnType<typeof awake.now> => ({ ...awake.now(), wall: awake.now().wall + 10 * 3_600_000 });
    await (await world.worker({ clock: { ...awake, now } })).wait([[1]]);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', failure: null });
    expect(await world.reads()).toBe(8);
  });

  it('counts the time of a lip-sync from its own acceptance, also where its speech was waited for again', async () => {
    const { worker } = await begin([dub()]);
    await worker.submit(keyOf(1));
    await worker.wait([[1]]);
    await worker.deps.ledger.giveUp(keyOf(1, 1, 'lip-sync'), { outcome: 'overdue' });
    await redriveNow(worker.deps.ledger, 'b', [{ row: 1, take: 1, how: { type: 'wait' } }]);
    const key = keyOf(1, 1, 'lip-sync');
    await worker.submit(key);
    const job = toAwaitedJob(key, await loadAttempt(worker.deps, key));
    expect(job?.loaded.row.waitSince).toBeLessThanOrEqual(job?.acceptedAt ?? 0);
    expect(job?.waitedSince).toBe(job?.acceptedAt);
  });

  it('lets go of its rows within a second when the batch is stopped at once, and keeps their job ids', async () => {
    const { world, worker } = await begin([tts('one'), tts('two')], { jobMs: [600_000, 600_000] });
    for (const row of [1, 2]) await worker.submit(keyOf(row));
    const waiting = worker.wait([[1], [2]]);
    await world.ledger.stopNow('b');
    expect(await waiting).toEqual(new Map([1, 2].map((row) => [row, { type: 'ended' }])));
    expect(await world.row()).toMatchObject({ outcome: 'overdue', charges: [{ jobId: world.charges()[0]?.jobId }] });
  });

  it('counts a result whose download was under way when the batch was stopped at once', async () => {
    const rule = { on: 'download', fault: { kind: 'late', ms: 1_500 } } as const;
    const { world, worker } = await begin([tts()], { rules: [rule] });
    await worker.submit(keyOf(1));
    const slice = worker.slice([keyOf(1)], 600_000);
    await waitFor(() => worker.deps.downloads.activeCount === 1);
    await world.ledger.stopNow('b');
    expect((await slice).settled).toHaveLength(1);
    expect((await world.row()).outcome).toBe('overdue');
    await worker.deps.fetches.idle();
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', failure: null });
  });

  it('reads on, and pauses nothing, where a read is refused for want of credits, until the job is overdue', async () => {
    const refusal = { on: 'read', fault: { kind: 'status', status: 402 } } as const;
    for (const [rule, deadlineMs, outcome] of [
      [{ ...refusal, times: 3 }, undefined, 'succeeded'],
      [refusal, 2_000, 'overdue'],
    ] as const) {
      const { world, worker } = await withJob(rule, deadlineMs);
      await worker.wait([[1]]);
      expect(await world.outcomes()).toEqual([outcome]);
      expect(await world.batch()).toMatchObject({ control: 'running', pauseReason: null });
    }
  });

  it('does not read for ever with a refused token in a batch that is being stopped', async () => {
    const { world, worker } = await withJob({ on: 'read', fault: { kind: 'status', status: 401 } });
    await worker.deps.ledger.setControl('b', 'stopping');
    await worker.wait([[1]]);
    expect(await world.row()).toMatchObject({
      outcome: 'overdue',
      failure: { class: 'Overdue', message: expect.stringContaining('cannot be read') },
      charges: [{ state: 'accepted', jobId: world.charges()[0]?.jobId }],
    });
    expect(await world.reads()).toBe(6);
  });

  it('writes nothing more once its downloads are over, also a long one', async () => {
    const rule = { on: 'download', fault: { kind: 'late', ms: 700 } } as const;
    let [open, written] = [0, 0];
    const { world, worker } = await begin([tts()], {
      rules: [rule],
      ledger: (ledger) => ({
        changeRunning: async (...row) => {
          open += 1;
          // As on a slow disk: the download is over first.
          await new Promise((resolve) => setTimeout(resolve, 600));
          const snapshot = await ledger.changeRunning(...row);
          [open, written] = [open - 1, written + 1];
          return snapshot;
        },
      }),
    });
    await worker.submit(keyOf(1));
    await worker.wait([[1]]);
    await worker.deps.fetches.idle();
    expect([open, written]).toEqual([0, 1]);
    expect((await world.row()).outcome).toBe('succeeded');
  });

  it('polls jobs in time after the wall clock was set back an hour', async () => {
    const clock = movableClock();
    const { world, worker } = await begin([tts()], { clock });
    await worker.submit(keyOf(1));
    clock.move({ wall: -3_600_000 });
    await worker.wait([[1]]);
    expect((await world.row()).outcome).toBe('succeeded');
  });
});
