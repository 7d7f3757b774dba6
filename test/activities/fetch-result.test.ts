import { describe, expect, it } from '@jest/globals';
import { dub, keyOf, tts } from './rows.ts';
import { fastClock } from './worker.ts';
import { createWorld, type World } from './world.ts';

const ROWS = 64;
/** Of a file, ms. Eight at once make the last one wait for longer than its link lives. */
const FILE_MS = 60;
const LINK_LIFE_MS = 150;

/** Rows whose jobs are done, and a worker for whom half a minute passes in half a second. */
async function withDoneJobs(): Promise<{ world: World; worker: Awaited<ReturnType<World['worker']>> }> {
  const world = await createWorld({
    linkLifeMs: LINK_LIFE_MS,
    plan: { rules: [{ on: 'download', fault: { kind: 'late', ms: FILE_MS } }] },
  });
  await world.fill(Array.from({ length: ROWS }, (_, at) => tts(`Line ${at}.`)));
  const sender = await world.worker();
  await Promise.all(Array.from({ length: ROWS }, (_, at) => sender.submit(keyOf(at + 1))));
  return { world, worker: await world.worker({ clock: fastClock(60) }) };
}

describe('fetchResult', () => {
  it('follows links that redirect, and nothing but the API is shown the token', async () => {
    const world = await createWorld({ plan: { rules: [{ on: 'download', fault: 'redirect' }] } });
    await world.fill([tts('One.'), tts('Two.'), dub()]);
    const worker = await world.worker();
    for (const row of [1, 2, 3]) {
      await worker.drive(row);
      expect((await world.row(row)).outcome).toBe('succeeded');
    }
    const { endpoints, foreignAuthorizations } = await world.statistics();
    expect(endpoints['GET /results/:file']).toEqual({ 200: 4, 302: 4 });
    expect(foreignAuthorizations).toBe(0);
  });

  it('gets every result although links live for a shorter time than the wait for a place', async () => {
    const { world, worker } = await withDoneJobs();
    await worker.wait(Array.from({ length: ROWS }, (_, at) => [at + 1] as const));
    const outcomes = await Promise.all(
      Array.from({ length: ROWS }, async (_, at) => (await world.row(at + 1)).outcome),
    );
    expect(new Set(outcomes)).toEqual(new Set(['succeeded']));
    expect(world.charges()).toHaveLength(ROWS);
  });

  it('leaves a job that has no link any more to its next look', async () => {
    const { world, worker } = await withDoneJobs();
    const places = Array.from({ length: worker.deps.downloads.concurrency }, (_, at) => [at + 1] as const);
    const { api } = worker.deps;
    let readings = 0;
    const once = await world.worker({
      clock: fastClock(60),
      change: () => ({
        api: {
          ...api,
          readJob: async (...request) => {
            const reading = await api.readJob(...request);
            readings += 1;
            const { resultUrl, ...rest } = reading;
            // Read for each row once, and then again for the one that had to wait.
            return readings === places.length + 2 || resultUrl === undefined ? rest : reading;
          },
        },
      }),
    });
    await once.wait([...places, [places.length + 1]]);
    expect(readings).toBeGreaterThan(places.length + 2);
    expect(await world.row(places.length + 1)).toMatchObject({ outcome: 'succeeded' });
  });
});
