/** @slow */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { BATCH, INTENT, keyOf, tts, dub } from './rows.ts';
import { fastClock } from './worker.ts';
import { begin, type World } from './world.ts';
import { ANN } from '../support/ann.ts';

const ROWS = 64;
/** Of a file, ms. Eight at once make the last one wait for longer than its link lives. */
const FILE_MS = 250;
/** Long enough to begin a download with it, on a busy machine, too. */
const LINK_LIFE_MS = 1_000;

/** Rows whose jobs are done, and a worker for whom half a minute passes in half a second. */
async function withDoneJobs(): Promise<{ world: World; worker: Awaited<ReturnType<World['worker']>> }> {
  const { world } = await begin(
    Array.from({ length: ROWS }, (_, at) => tts(`Line ${at}.`)),
    { rules: [{ on: 'download', fault: { kind: 'late', ms: FILE_MS } }], service: { linkLifeMs: LINK_LIFE_MS } },
  );
  const sender = await world.worker();
  await Promise.all(Array.from({ length: ROWS }, (_, at) => sender.submit(keyOf(at + 1))));
  return { world, worker: await world.worker({ clock: fastClock(60) }) };
}

describe('fetchResult', () => {
  it('follows links that redirect, and nothing but the API is shown the token', async () => {
    const { world, worker } = await begin([tts('One.'), tts('Two.'), dub()], {
      rules: [{ on: 'download', fault: 'redirect' }],
    });
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

  it.each(['before', 'after'])(
    'records no result of a job that was taken back meanwhile, %s that of the one that took its place, and leaves that file as it is',
    async (order) => {
      const { world } = await begin([tts('Lost.')]);
      const { ledger } = world;
      const failure = { class: 'OutcomeUnknown', message: 'No answer.' } as const;
      await ledger.intend(keyOf(1), INTENT);
      await ledger.settle(keyOf(1), { verdict: 'unknown', failure }, { outcome: 'unknown', failure });
      const [wrong, right] = [await world.makeJob(tts('Of somebody else.')), await world.makeJob(tts('Lost.'))];
      const download = world.holdAt('before-rename');
      const worker = await world.worker({ atFaultPoint: download.atFaultPoint });
      const other = await world.worker();

      await ledger.decide(keyOf(1), { type: 'adopted', jobId: wrong }, ANN);
      const fetching = worker.slice([keyOf(1)], 20_000);
      await download.reached;
      await ledger.decide(keyOf(1), { type: 'released', jobId: wrong }, ANN);
      await ledger.decide(keyOf(1), { type: 'adopted', jobId: right }, ANN);
      if (order === 'after') await other.drive(1);
      download.release();
      await fetching;
      await other.drive(1);

      const { resultUrl = '' } = await other.deps.api.readJob('speech-job', right);
      const sha256 = await other.deps.api.download(resultUrl, (body) =>
        Promise.resolve(
          createHash('sha256')
            .update(body as Buffer)
            .digest('hex'),
        ),
      );
      expect(await world.row()).toMatchObject({ outcome: 'succeeded', file: { sha256 } });
      const stored = await readFile(await world.pathOf());
      expect(createHash('sha256').update(stored).digest('hex')).toBe(sha256);
      expect(await ledger.readRow(BATCH, 1)).toMatchObject({ charges: [{ jobId: right }] });
    },
  );
});
