/** @slow */
import { describe, expect, it, jest } from '@jest/globals';
import pLimit from 'p-limit';
import { attemptName, loadAttempt } from '../../../activities/attempt.ts';
import { awaitJob } from '../../../activities/polling/await-job.ts';
import { WakeUps } from '../../../activities/lane/wake-ups.ts';
import { waitFor } from '../../support/wait-for.ts';
import { limiterInMemory } from '../pacing/limiter-in-memory.ts';
import { keyOf, tts, lipSync, dub, FORGOTTEN } from '../rows.ts';
import { FullDisk, fastClock } from '../worker.ts';
import { createWorld, begin, withJob } from '../world.ts';

describe('awaitJob', () => {
  it('fails the row with the words of a job that failed, and keeps its id', async () => {
    const { world, worker } = await withJob({
      on: 'create',
      fault: { kind: 'job-fails', message: 'The voice is hoarse' },
    });
    expect(await worker.wait([[1]])).toEqual(new Map([[1, { type: 'ended' }]]));
    const row = await world.row();
    const message = expect.stringContaining('The voice is hoarse');
    expect(row).toMatchObject({ outcome: 'failed', failure: { class: 'JobFailed', message } });
    expect(row.charges).toMatchObject([{ state: 'accepted', jobId: world.charges()[0]?.jobId }]);
    expect(row.charges[0]?.finishedAt).not.toBeNull();
  });

  it.each([
    ['a dead link', { on: 'read', fault: 'dead-link', times: 2 }],
    ['a download that is cut', { on: 'download', fault: 'cut', times: 2 }],
    ['a download of the wrong length', { on: 'download', fault: 'wrong-length', times: 2 }],
    ['a page instead of media', { on: 'download', fault: 'wrong-type', times: 2 }],
    ['a server of media that is down', { on: 'download', fault: { kind: 'status', status: 502 }, times: 2 }],
    ['an API that is down', { on: 'read', fault: { kind: 'status', status: 500 }, times: 2 }],
    ['an API that does not know the job for a moment', { ...FORGOTTEN, times: 2 }],
    ['a status word that nobody documented', { on: 'read', fault: 'unknown-status', times: 3 }],
  ] as const)('gets over %s without paying again', async (_name, rule) => {
    const { world, worker } = await withJob(rule);
    expect(await worker.wait([[1]])).toEqual(new Map([[1, { type: 'ended' }]]));
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', failure: null, file: { extension: 'mp3' } });
    expect(await world.reads()).toBe(rule.times + 1);
    expect(await world.paidRequests()).toBe(1);
  });

  it.each([
    ['a link that is always dead', { on: 'read', fault: 'dead-link' }],
    ['media that are always cut', { on: 'download', fault: 'cut' }],
    ['a job that the API does not know', FORGOTTEN],
  ] as const)('fails the row after %s, and keeps the job id', async (_name, rule) => {
    const { world, worker } = await withJob(rule);
    await worker.wait([[1]]);
    const jobId = world.charges()[0]?.jobId ?? 'a job id';
    const failure = { class: 'ResultGone', message: expect.stringContaining(jobId) };
    expect(await world.row()).toMatchObject({ outcome: 'failed', failure, charges: [{ state: 'accepted', jobId }] });
    expect(await world.reads()).toBe(6);
    expect(await world.paidRequests()).toBe(1);
  });

  it('leaves a job that runs past its deadline as overdue, with its id', async () => {
    const { world, worker } = await withJob({ on: 'create', fault: 'job-stuck' }, 20_000);
    expect(await worker.wait([[1]])).toEqual(new Map([[1, { type: 'ended' }]]));
    const charge = { state: 'accepted', finishedAt: null, jobId: world.charges()[0]?.jobId };
    expect(await world.row()).toMatchObject({ outcome: 'overdue', failure: { class: 'Overdue' }, charges: [charge] });
  });

  it('ends in time also where the API cannot show the job, or never gives its media', async () => {
    const { world, worker: sender } = await begin([tts('one'), tts('two')], {
      rules: [
        { on: 'read', match: { text: 'one' }, fault: { kind: 'status', status: 500 } },
        { on: 'download', match: { text: 'two' }, fault: { kind: 'status', status: 500 } },
      ],
      wanted: { jobDeadlineMs: 1_000 },
    });
    const worker = await world.worker({
      clock: fastClock(60),
      // The pauses that trouble asks of all reads take longer than the test.
      ledger: () => ({ updateLimiter: (scope, step) => limiterInMemory()(scope, step) }),
    });
    for (const row of [1, 2]) await sender.submit(keyOf(row));
    expect((await worker.wait([[1], [2]])).size).toBe(2);
    expect(await world.row()).toMatchObject({ outcome: 'overdue', failure: { class: 'Overdue' } });
    expect(await world.row(2)).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
  });

  it('forgets a job that is waited for no longer, wherever it was remembered', async () => {
    const { world, worker } = await withJob({ on: 'read', fault: 'unknown-status', times: 1 });
    const { polls, concurrencyLimit } = worker.deps;
    const forgotten = [jest.spyOn(polls, 'forget'), jest.spyOn(concurrencyLimit, 'settled')];
    await worker.wait([[1]]);
    expect((await world.row()).outcome).toBe('succeeded');
    for (const forget of forgotten) expect(forget).toHaveBeenLastCalledWith(attemptName(keyOf(1)));
  });

  it('expects no webhook for a job that its lane has lost', async () => {
    const { world, worker } = await withJob({ on: 'create', fault: 'job-stuck' });
    const { hints } = worker.deps;
    const heard: string[] = [];
    hints.listen({ listenFor: (id) => heard.push(`listens for ${id}`), forget: (id) => heard.push(`forgets ${id}`) });
    expect((await worker.slice([keyOf(1)], 50)).settled).toEqual([]);
    const id = world.charges()[0]?.jobId ?? '';
    expect(heard).toEqual([`listens for ${id}`, `forgets ${id}`]);
  });

  it('leaves at once where the row has gone on to the job of a later step', async () => {
    const { world, worker } = await begin([dub()], {
      rules: [{ on: 'create', operation: 'lip-sync-job', fault: 'job-stuck' }],
    });
    await worker.submit(keyOf(1));
    await worker.wait([[1]]);
    await worker.submit(keyOf(1, 1, 'lip-sync'));
    const known = await loadAttempt(worker.deps, keyOf(1));
    const before = await world.reads();
    const waiting = { signal: AbortSignal.timeout(10_000), wakeUps: new WakeUps() };
    const { next } = await awaitJob(worker.deps, keyOf(1), known, waiting);
    expect(next).toMatchObject({ type: 'wait', at: { step: 'lip-sync', attempt: 1 } });
    expect(await world.reads()).toBe(before);
  });

  it('sees in the end that another process has ended its row', async () => {
    const { world, worker } = await withJob({ on: 'create', fault: 'job-stuck' });
    const slice = worker.slice([keyOf(1)], 600_000);
    await world.ledger.changeRunning(keyOf(1), { outcome: 'overdue' });
    expect((await slice).settled).toEqual([{ row: 1, next: { type: 'ended' } }]);
  });

  it('waits for many jobs at once, and reads each no more often than it must', async () => {
    const world = await createWorld();
    const rows = Array.from({ length: 30 }, (_, i) => i + 1);
    await world.fill(rows.map((n) => (n % 3 === 0 ? lipSync(n) : tts(`Line ${n}.`))));
    // A place for each: on a busy machine the wait for one may be so long that the job is read for a fresh link.
    const worker = await world.worker({ change: () => ({ downloads: pLimit(rows.length) }) });
    const keys = rows.map((row) => [row, 1, row % 3 === 0 ? 'lip-sync' : 'speech'] as const);
    await Promise.all(keys.map((key) => worker.submit(keyOf(...key))));
    expect((await worker.wait(keys)).size).toBe(30);
    const { endpoints } = await world.statistics();
    for (const route of ['GET /speech/tts/jobs/:id', 'GET /media/lip-sync/jobs/:id', 'GET /results/:file']) {
      expect(endpoints[route]).toEqual({ 200: route.includes('results') ? 30 : route.includes('tts') ? 20 : 10 });
    }
  });

  it('does not hold other rows up with a long download', async () => {
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const { world, worker } = await begin([tts('long'), tts('short')], {
      store: (store) => ({
        write: async (stem, ...more) => {
          if (stem.includes('1-speech')) await arrived;
          return store.write(stem, ...more);
        },
      }),
    });
    for (const row of [1, 2]) await worker.submit(keyOf(row));
    const waiting = worker.wait([[1], [2]]);
    await waitFor(async () => (await world.row(2)).outcome === 'succeeded');
    await waitFor(async () => (await world.row()).state === 'fetching');
    expect((await world.row()).outcome).toBeNull();
    arrive();
    await waiting;
    expect((await world.row()).outcome).toBe('succeeded');
    expect((await world.statistics()).endpoints['GET /results/:file']).toEqual({ 200: 2 });
  });

  it('pauses the batch when a read says that the token is refused, and fetches after a resume', async () => {
    const { world, worker } = await withJob({ on: 'read', fault: { kind: 'status', status: 401 }, times: 1 });
    await worker.wait([[1]]);
    expect((await world.row()).outcome).toBe('succeeded');
    expect(await world.batch()).toMatchObject({ control: 'paused', pauseReason: { class: 'BadToken' } });
  });

  it('tells a fault of the ledger', async () => {
    const { world, worker } = await begin([dub(), tts()], {
      ledger: () => ({ setControl: () => Promise.reject(new Error('the ledger is gone')) }),
    });
    for (const row of [1, 2]) await worker.submit(keyOf(row));
    await world.change('settings', { token: 'another' });
    await expect(worker.wait([[1], [2]])).rejects.toThrow('the ledger is gone');
  });

  it('tells a disk that is full, and fetches again later', async () => {
    const { world, worker: sender } = await begin([tts()]);
    const disk = new FullDisk();
    const worker = await world.worker({ clock: fastClock(60), store: disk.store });
    await sender.submit(keyOf(1));
    const waiting = worker.wait([[1]]);
    await waitFor(() => worker.faults.length > 0);
    expect(worker.faults[0]?.message).toContain('free some space');
    disk.isFull = false;
    await waiting;
    expect((await world.row()).outcome).toBe('succeeded');
  });

  it('leaves a download that the end of the process stops for the next process', async () => {
    const { world, worker } = await begin([tts()], { rules: [{ on: 'download', fault: 'hang', times: 1 }] });
    await worker.submit(keyOf(1));
    const waiting = worker.wait([[1]]);
    await waitFor(() => worker.deps.downloads.activeCount === 1);
    worker.stop();
    await waiting;
    await worker.deps.fetches.idle();
    expect(worker.faults).toEqual([]);
    expect((await world.row()).outcome).toBeNull();
    expect(await (await world.worker()).drive(1)).toEqual({ type: 'ended' });
    expect((await world.row()).outcome).toBe('succeeded');
  });
});
