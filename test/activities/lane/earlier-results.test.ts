/** @slow */
import { chmod, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { readMediaIdentities } from '../../../batches/cache/result-keys.ts';
import { redriveNow } from '../../ledger/setup.ts';
import { startMediaServer, tagged, whole, type MediaServer } from '../../inputs/media-server.ts';
import { outcomesOf, runBatch, texts, workerWithMedia, workOn } from '../cached.ts';
import { makeJob } from '../make-job.ts';
import { dub, keyOf, stt, tts } from '../rows.ts';
import type { Worker } from '../worker.ts';
import { createWorld, type World } from '../world.ts';

/** Path of the file of a batch's row. */
async function fileOf(world: World, batch: string, row = 1): Promise<string> {
  const { file } = await world.row(row, batch);
  const path = file === null ? undefined : (await world.worker()).deps.store.pathOf(file.key);
  if (path === undefined) throw new Error(`row ${String(row)} of ${batch} has no file`);
  return path;
}

describe('a row that asks for what an earlier row has', () => {
  it('costs nothing, in whatever order it comes, and has a file of its own', async () => {
    const world = await createWorld();
    const worker = await world.worker();
    const specs = texts(30);
    await runBatch(world, worker, 'first', specs);
    await runBatch(world, worker, 'second', specs.toReversed());
    expect(await outcomesOf(world, 'first', 30)).toEqual(specs.map(() => 'succeeded'));
    expect(await outcomesOf(world, 'second', 30)).toEqual(specs.map(() => 'cached'));
    expect(await world.paidRequests()).toBe(30);
    const [made, used] = [await fileOf(world, 'first', 1), await fileOf(world, 'second', 30)];
    expect(used).not.toBe(made);
    await rm(made);
    expect(await readFile(used)).toHaveLength((await world.row(30, 'second')).file?.bytes ?? -1);
    const { ledger } = worker.deps;
    expect(await ledger.money('second')).toMatchObject({ charged: 0, reserved: 0, uncertain: 0, damaged: 0 });
    expect((await ledger.money('second')).saved).toBeGreaterThan(0);
  });

  it('is sent if a single word of it differs', async () => {
    const world = await createWorld();
    const worker = await world.worker();
    await runBatch(world, worker, 'first', [tts('One.'), tts('Two.')]);
    await runBatch(world, worker, 'second', [tts('One.'), tts('Two!'), { ...tts('One.'), voice: 'other' }]);
    expect(await outcomesOf(world, 'second', 3)).toEqual(['cached', 'succeeded', 'succeeded']);
    expect(await world.paidRequests()).toBe(4);
  });

  it('pays once for equal rows of one batch', async () => {
    const world = await createWorld();
    await runBatch(world, await world.worker(), 'first', [...texts(3), ...texts(3), ...texts(3)]);
    const outcomes = await outcomesOf(world, 'first', 9);
    expect(outcomes.filter((outcome) => outcome === 'cached')).toHaveLength(6);
    expect(outcomes.filter((outcome) => outcome === 'succeeded')).toHaveLength(3);
    expect(await world.paidRequests()).toBe(3);
  });

  it('has its text and subtitles too', async () => {
    const world = await createWorld();
    const worker = await workerWithMedia(world);
    await runBatch(world, worker, 'first', [stt()]);
    await runBatch(world, worker, 'second', [stt()]);
    const [made, used] = [await world.row(1, 'first'), await world.row(1, 'second')];
    expect(used).toMatchObject({ outcome: 'cached', text: made.text });
    expect(used.extraFiles.map(({ sha256 }) => sha256)).toEqual(made.extraFiles.map(({ sha256 }) => sha256));
    expect(await world.paidRequests()).toBe(1);
  });

  it('is sent where nobody can tell what is behind its link, or it is something else', async () => {
    const world = await createWorld();
    const unknown = await workerWithMedia(world, {}, () => undefined);
    await runBatch(world, unknown, 'first', [stt()]);
    await runBatch(world, unknown, 'second', [stt()]);
    expect(await world.paidRequests()).toBe(2);
    await runBatch(world, await workerWithMedia(world, {}, () => ({ etag: '"1"', bytes: 1 })), 'third', [stt()]);
    await runBatch(world, await workerWithMedia(world, {}, () => ({ etag: '"2"', bytes: 1 })), 'fourth', [stt()]);
    expect(await world.paidRequests()).toBe(4);
  });
});

describe('a link whose content is replaced', () => {
  /** A worker for which every link leads to one file of a server. */
  async function withFilm(world: World): Promise<{ worker: Worker; replace: () => void }> {
    let etag = '"before"';
    const server = await startMediaServer({
      '/a.wav': (request, response) => {
        tagged(whole(Buffer.from('sound'), 'audio/wav'), etag)(request, response);
      },
    });
    servers.push(server);
    const worker = await world.worker({
      change: () => ({
        media: readMediaIdentities((_, init) => fetch(`${server.url}/a.wav`, init)),
      }),
    });
    return {
      worker,
      replace: () => {
        etag = '"after"';
      },
    };
  }
  const servers: MediaServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  it('is seen by the next run at once', async () => {
    const world = await createWorld();
    const { worker, replace } = await withFilm(world);
    await runBatch(world, worker, 'first', [stt()]);
    replace();
    await runBatch(world, worker, 'second', [stt()]);
    expect(await outcomesOf(world, 'second')).toEqual(['succeeded']);
    expect(await world.paidRequests()).toBe(2);
  });
});

describe('an earlier result whose file is damaged', () => {
  it.each([
    ['altered', (path: string) => writeFile(path, 'something else')],
    ['altered', (path: string) => truncate(path, 10)],
    ['missing', (path: string) => rm(path)],
  ] as const)('is %s: its row is paid for anew, and says so', async (is, damage) => {
    const world = await createWorld();
    const worker = await world.worker();
    await runBatch(world, worker, 'first', [tts()]);
    const path = await fileOf(world, 'first');
    await chmod(path, 0o644);
    await damage(path);
    await runBatch(world, worker, 'second', [tts()]);
    const { outcome, charges } = await world.row(1, 'second');
    expect(outcome).toBe('succeeded');
    expect(charges).toMatchObject([{ state: 'accepted', source: { is, from: { batch: 'first', row: 1 } } }]);
    expect(await worker.deps.ledger.money('second')).toMatchObject({ damaged: 1, saved: 0 });
    expect(await world.paidRequests()).toBe(2);
    // The new one is used from now on.
    await runBatch(world, worker, 'third', [tts()]);
    expect(await outcomesOf(world, 'third')).toEqual(['cached']);
  });

  it('is counted once, however many requests its row needs', async () => {
    const fault = { kind: 'status', status: 429 } as const;
    const world = await createWorld({ plan: { rules: [{ on: 'create', match: { nth: 2 }, fault }] } });
    const worker = await world.worker();
    await runBatch(world, worker, 'first', [tts()]);
    await rm(await fileOf(world, 'first'));
    await runBatch(world, worker, 'second', [tts()]);
    expect((await world.row(1, 'second')).charges).toMatchObject([
      { state: 'not-accepted', source: { is: 'missing', from: { batch: 'first', row: 1 } } },
      { state: 'accepted', source: null },
    ]);
    expect((await worker.deps.ledger.money('second')).damaged).toBe(1);
  });

  it('is passed by if there is another', async () => {
    const world = await createWorld();
    const worker = await world.worker();
    await runBatch(world, worker, 'first', [tts()]);
    await runBatch(world, worker, 'second', [tts()]);
    await rm(await fileOf(world, 'second'));
    await runBatch(world, worker, 'third', [tts()]);
    expect((await world.row(1, 'third')).charges).toMatchObject([
      { state: 'cached', source: { from: { batch: 'first' } } },
    ]);
    expect(await world.paidRequests()).toBe(1);
  });
});

describe('a budget that is used up', () => {
  it('skips what would have to be paid for, and no row that an earlier result will do for', async () => {
    const world = await createWorld();
    const worker = await world.worker();
    // More than a lane claims at once, so that some have not been looked up when the first one does not fit.
    const known = texts(120);
    await runBatch(world, worker, 'first', known);
    await runBatch(world, worker, 'second', [tts('Another line.'), ...known], { budget: 0.5, limits: { window: 1 } });
    expect(await outcomesOf(world, 'second', 121)).toEqual(['skipped', ...known.map(() => 'cached')]);
    expect(await world.paidRequests()).toBe(120);
  });
});

describe('whether earlier results are used', () => {
  it('is for a person to say: fresh results, none but those, none at all', async () => {
    const world = await createWorld();
    const worker = await world.worker();
    await runBatch(world, worker, 'off', [tts()], { cache: 'off' });
    await runBatch(world, worker, 'only', [tts()], { cache: 'only' });
    expect(await world.row(1, 'only')).toMatchObject({
      outcome: 'skipped',
      failure: { class: 'NotCached' },
      charges: [],
    });
    expect(await world.paidRequests()).toBe(1);
    await runBatch(world, worker, 'on', [tts()]);
    await runBatch(world, worker, 'fresh', [tts(), tts()], { cache: 'fresh' });
    expect(await outcomesOf(world, 'fresh', 2)).toEqual(['succeeded', 'succeeded']);
    expect(await world.paidRequests()).toBe(4);
    await runBatch(world, worker, 'after', [tts(), tts('Other.')], { cache: 'only' });
    expect(await outcomesOf(world, 'after', 2)).toEqual(['cached', 'skipped']);
    expect((await world.row(1, 'after')).charges).toMatchObject([{ source: { from: { batch: 'fresh' } } }]);
    expect(await world.paidRequests()).toBe(4);
  });

  it('holds for the next step too, if a person says so while the one before is made', async () => {
    const world = await createWorld();
    await world.fill([dub()], { name: 'b', cache: 'on' });
    const stop = world.holdAt('before-rename');
    const ended = workOn(await workerWithMedia(world, { atFaultPoint: stop.atFaultPoint }), 'b');
    await stop.reached;
    await (await world.look()).tune('b', { cache: 'only' });
    stop.release();
    await ended;
    expect(await world.row(1)).toMatchObject({ outcome: 'skipped', failure: { class: 'NotCached' } });
    expect(await world.attempts(1)).toEqual(['speech 1 accepted']);
    expect(world.charges()).toHaveLength(1);
  });

  it('is not asked where a person runs a good row again', async () => {
    const world = await createWorld();
    const worker = await world.worker();
    await runBatch(world, worker, 'first', [tts()]);
    await runBatch(world, worker, 'second', [tts()]);
    for (const batch of ['first', 'second']) {
      const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
      await redriveNow(worker.deps.ledger, batch, [{ row: 1, take: 1, how }]);
      await workOn(worker, batch, undefined, 'again');
    }
    expect(await outcomesOf(world, 'first')).toEqual(['succeeded']);
    expect(await outcomesOf(world, 'second')).toEqual(['succeeded']);
    expect(await world.paidRequests()).toBe(3);
  });
});

describe('the steps of a chain', () => {
  const other = (video: string) => ({ ...dub(), video });

  it('keep the speech if only the video is another', async () => {
    const world = await createWorld();
    const worker = await workerWithMedia(world);
    await runBatch(world, worker, 'first', [dub()]);
    await runBatch(world, worker, 'second', [other('https://media.example/another.mp4')]);
    expect(await world.attempts(1, 'second')).toEqual(['speech 1 cached', 'lip-sync 1 accepted']);
    expect(await outcomesOf(world, 'second')).toEqual(['succeeded']);
    expect(world.charges().map(({ operation }) => operation)).toEqual(['speech-job', 'lip-sync-job', 'lip-sync-job']);
  });

  it('are none if the whole row was made before', async () => {
    const world = await createWorld();
    const worker = await workerWithMedia(world);
    await runBatch(world, worker, 'first', [{ ...dub(), duration: 4 }]);
    await runBatch(world, worker, 'second', [{ ...dub(), duration: 4 }]);
    expect(await world.attempts(1, 'second')).toEqual(['lip-sync 1 cached']);
    expect(await outcomesOf(world, 'second')).toEqual(['cached']);
    const [{ saved }, { charged }] = [
      await worker.deps.ledger.money('second'),
      await worker.deps.ledger.money('first'),
    ];
    expect(saved).toBeGreaterThan(0);
    expect(charged).toBeGreaterThan(0);
    expect(world.charges()).toHaveLength(2);
  });

  it('make the speech again if the API has forgotten its job', async () => {
    const world = await createWorld();
    const worker = await workerWithMedia(world);
    await runBatch(world, worker, 'first', [tts('Good evening.')]);
    const forgotten = { on: 'read', fault: { kind: 'status', status: 404 }, times: 2 };
    await world.change('plan', { rules: [forgotten] });
    await runBatch(world, worker, 'second', [dub()]);
    expect(await world.attempts(1, 'second')).toEqual(['speech 1 revoked', 'speech 2 accepted', 'lip-sync 1 accepted']);
    expect(await outcomesOf(world, 'second')).toEqual(['succeeded']);
    expect(world.charges()).toHaveLength(3);
  });

  it('leave no video behind that was made with a speech of which nobody knows what it says', async () => {
    const world = await createWorld();
    const worker = await workerWithMedia(world);
    const ledger = await world.look();
    await world.fill([dub()], { name: 'first', cache: 'on' });
    const key = { ...keyOf(1), batch: 'first' };
    const failure = { class: 'OutcomeUnknown', message: 'No answer.' } as const;
    await ledger.intend(key, { quoted: 1, quotedRest: 0, owner: 'w', maxSending: 8 });
    await ledger.settle(key, { verdict: 'unknown', failure }, { outcome: 'unknown', failure });
    // A person may be mistaken.
    const jobId = await makeJob(world, 'Something else.');
    await ledger.decide(key, { type: 'adopted', jobId, who: 'ann' });
    await workOn(worker, 'first');
    expect(await outcomesOf(world, 'first')).toEqual(['succeeded']);
    await runBatch(world, worker, 'second', [dub()]);
    expect(await world.attempts(1, 'second')).toEqual(['speech 1 accepted', 'lip-sync 1 accepted']);
  });
});
