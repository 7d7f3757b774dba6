/** @slow */
import { describe, expect, it } from '@jest/globals';
import { loadAttempt } from '../../../activities/attempt.ts';
import { pollByPage } from '../../../activities/polling/poll-by-page.ts';
import { waitedJob } from '../../../activities/polling/waited-job.ts';
import { keyOf, lipSync, tts } from '../rows.ts';
import { createWorld, type World } from '../world.ts';

const ROWS = 40;

/** Rows whose jobs all run for a second and are polled five times in it. */
async function waitForAll(kind: 'lip-sync' | 'tts', more: { readonly list?: 'broken' } = {}): Promise<World> {
  const rule = { on: 'list', fault: { kind: 'status', status: 500 } } as const;
  const world = await createWorld({ jobMs: [1_200, 1_200], plan: { rules: more.list === undefined ? [] : [rule] } });
  const specs = Array.from({ length: ROWS }, (_, index) => (kind === 'tts' ? tts() : lipSync(index + 1)));
  await world.fill(specs, { firstLookMs: 200, pollGapMs: 200 });
  const worker = await world.worker();
  const step = kind === 'tts' ? 'speech' : 'lip-sync';
  await Promise.all(specs.map((_, index) => worker.submit(keyOf(index + 1, 1, step))));
  await worker.wait(specs.map((_, index) => [index + 1, 1, step] as const));
  for (const [index] of specs.entries())
    expect(await world.row(index + 1)).toMatchObject({ outcome: 'succeeded', failure: null });
  expect(await world.paidRequests()).toBe(ROWS);
  return world;
}

async function readsOf(world: World): Promise<{ readonly jobs: number; readonly pages: number }> {
  const { endpoints } = await world.statistics();
  const count = (name: string): number => Object.values(endpoints[name] ?? {}).reduce((sum, one) => sum + one, 0);
  return { jobs: count('GET /media/lip-sync/jobs/:id'), pages: count('GET /media/lip-sync/jobs') };
}

describe('polls by pages', () => {
  it('read jobs that run from the list, and each of them by itself once it has ended', async () => {
    const { jobs, pages } = await readsOf(await waitForAll('lip-sync'));
    expect(pages).toBeGreaterThan(0);
    expect(jobs).toBeGreaterThanOrEqual(ROWS);
    // One by one there would be five polls each job or more.
    expect(jobs + pages).toBeLessThanOrEqual(2.5 * ROWS);
  });

  it('leave a list alone that is of no help, and poll each job', async () => {
    const { jobs, pages } = await readsOf(await waitForAll('lip-sync', { list: 'broken' }));
    expect(pages).toBeLessThanOrEqual(ROWS / 4);
    expect(jobs).toBeGreaterThanOrEqual(ROWS);
  });

  it('do without the list now and then, past the deadline, and where it says nothing: it may be stale', async () => {
    const rounds = async (status: string, jobDeadlineMs = 3_600_000): Promise<boolean[]> => {
      const world = await createWorld({ jobMs: [600_000, 600_000] });
      await world.fill([lipSync(1), lipSync(2), lipSync(3)], { jobDeadlineMs });
      const worker = await world.worker({
        change: ({ api }) => ({
          api: {
            ...api,
            listJobs: async (...asked) => {
              const page = await api.listJobs(...asked);
              return { ...page, jobs: page.jobs.map((job) => ({ ...job, status })) };
            },
          },
        }),
      });
      const jobs = [1, 2, 3].map(async (row) => {
        const key = keyOf(row, 1, 'lip-sync');
        await worker.submit(key);
        const job = waitedJob(key, await loadAttempt(worker.deps, key));
        if (job === undefined) throw new Error(`row ${row} has no job`);
        worker.deps.pagePolls.waitsFor(job);
        return job;
      });
      const waited = await Promise.all(jobs);
      const byPage: boolean[] = [];
      for (let round = 0; round < 10; round++) {
        const readings = await Promise.all(waited.map((job) => pollByPage(worker.deps, job)));
        byPage.push(readings.every((reading) => reading !== undefined));
      }
      return byPage;
    };
    expect(await rounds('processing')).toEqual([true, true, true, true, true, true, true, true, false, true]);
    expect(await rounds('')).toEqual(Array.from({ length: 10 }, () => false));
    expect(await rounds('processing', 0)).toEqual(Array.from({ length: 10 }, () => false));
  });

  it('are not for jobs that the API does not list', async () => {
    expect(await readsOf(await waitForAll('tts'))).toEqual({ jobs: 0, pages: 0 });
  });
});
