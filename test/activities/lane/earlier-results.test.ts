/** @slow */
import { chmod, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { readMediaIdentities } from '../../../batches/cache/media-identities.ts';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import { redriveNow } from '../../ledger/setup.ts';
import { startMediaServer, tagged, whole } from '../../inputs/media-server.ts';
import { BATCH, INTENT, keyOf, tts, stt, dub, texts } from '../rows.ts';
import { createWorld, type World, type WorkerOptions } from '../world.ts';
import { ANN } from '../../support/ann.ts';

/** A worker for whom every link leads to the same. */
const withMedia = (etag = '"film"'): WorkerOptions => ({
  change: () => ({ media: { of: async (urls) => new Map(urls.map((url) => [url, { etag, bytes: 9 }])) } }),
});

let world: World;
beforeEach(async () => {
  world = await createWorld();
});

/** Works on a batch of these rows, with links that all lead to the same. */
async function run(name: string, specs: readonly RowSpec[], media = withMedia()): Promise<void> {
  await world.run(name, specs, {}, await world.worker(media));
}

describe('a row that asks for what an earlier row has', () => {
  it('costs nothing, in whatever order it comes, and has a file of its own', async () => {
    const specs = texts(30);
    await world.run('first', specs);
    await world.run('second', specs.toReversed());
    expect(await world.outcomes('first')).toEqual(specs.map(() => 'succeeded'));
    expect(await world.outcomes('second')).toEqual(specs.map(() => 'cached'));
    expect(await world.paidRequests()).toBe(30);
    const [made, used] = [await world.pathOf(1, 'first'), await world.pathOf(30, 'second')];
    expect(used).not.toBe(made);
    await rm(made);
    expect(await readFile(used)).toHaveLength((await world.row(30, 'second')).file?.bytes ?? -1);
    const { saved, ...money } = await world.ledger.money('second');
    expect(money).toMatchObject({ charged: 0, reserved: 0, uncertain: 0, damaged: 0 });
    expect(saved).toBeGreaterThan(0);
  });

  it('is sent if a single word of it differs', async () => {
    await world.run('first', [tts('One.'), tts('Two.')]);
    await world.run('second', [tts('One.'), tts('Two!'), { ...tts('One.'), voice: 'other' }]);
    expect(await world.outcomes('second')).toEqual(['cached', 'succeeded', 'succeeded']);
    expect(await world.paidRequests()).toBe(4);
  });

  it('has its text and subtitles too', async () => {
    for (const name of ['first', 'second']) await run(name, [stt()]);
    const [made, used] = [await world.row(1, 'first'), await world.row(1, 'second')];
    expect(used).toMatchObject({ outcome: 'cached', text: made.text });
    expect(used.extraFiles.map(({ sha256 }) => sha256)).toEqual(made.extraFiles.map(({ sha256 }) => sha256));
    expect(await world.paidRequests()).toBe(1);
  });

  it('is sent where nobody can tell what is behind its link, or it is something else', async () => {
    const unknown = { change: () => ({ media: { of: () => Promise.resolve(new Map()) } }) };
    for (const name of ['first', 'second']) await run(name, [stt()], unknown);
    expect(await world.paidRequests()).toBe(2);
    for (const etag of ['one', 'two']) await run(etag, [stt()], withMedia(etag));
    expect(await world.paidRequests()).toBe(4);
  });

  it('is sent at once where the content of its link was replaced', async () => {
    let etag = '"before"';
    const server = await startMediaServer({
      '/a.wav': (request, response) => {
        tagged(whole(Buffer.from('sound'), 'audio/wav'), etag)(request, response);
      },
    });
    const media = readMediaIdentities((_, init) => fetch(`${server.url}/a.wav`, init));
    const worker = await world.worker({ change: () => ({ media }) });
    await world.run('first', [stt()], {}, worker);
    etag = '"after"';
    await world.run('second', [stt()], {}, worker);
    expect(await world.outcomes('second')).toEqual(['succeeded']);
    expect(await world.paidRequests()).toBe(2);
  });
});

describe('an earlier result whose file is damaged', () => {
  it.each([
    ['altered', (path: string) => writeFile(path, 'something else')],
    ['altered', (path: string) => truncate(path, 10)],
    ['missing', (path: string) => rm(path)],
  ] as const)('is %s: its row is paid for anew, and says so', async (is, damage) => {
    await world.run('first', [tts()]);
    const path = await world.pathOf(1, 'first');
    await chmod(path, 0o644);
    await damage(path);
    await world.run('second', [tts()]);
    const charges = [{ state: 'accepted', source: { is, from: { batch: 'first', row: 1 } } }];
    expect(await world.row(1, 'second')).toMatchObject({ outcome: 'succeeded', charges });
    expect(await world.ledger.money('second')).toMatchObject({ damaged: 1, saved: 0 });
    // The new one is used from now on.
    await world.run('third', [tts()]);
    expect(await world.outcomes('third')).toEqual(['cached']);
    expect(await world.paidRequests()).toBe(2);
  });

  it('is counted once, however many requests its row needs', async () => {
    const fault = { kind: 'status', status: 429 } as const;
    world = await createWorld({ rules: [{ on: 'create', match: { nth: 2 }, fault }] });
    await world.run('first', [tts()]);
    await rm(await world.pathOf(1, 'first'));
    await world.run('second', [tts()]);
    expect((await world.row(1, 'second')).charges).toMatchObject([
      { state: 'not-accepted', source: { is: 'missing', from: { batch: 'first', row: 1 } } },
      { state: 'accepted', source: null },
    ]);
    expect((await world.ledger.money('second')).damaged).toBe(1);
  });

  it('is passed by if there is another', async () => {
    for (const name of ['first', 'second']) await world.run(name, [tts()]);
    await rm(await world.pathOf(1, 'second'));
    await world.run('third', [tts()]);
    const charges = [{ state: 'cached', source: { from: { batch: 'first' } } }];
    expect(await world.row(1, 'third')).toMatchObject({ charges });
    expect(await world.paidRequests()).toBe(1);
  });
});

it('a budget that is used up skips what would have to be paid for, and no row that an earlier result will do for', async () => {
  // More than a lane claims at once, so that some have not been looked up when the first one does not fit.
  const known = texts(120);
  await world.run('first', known);
  await world.run('second', [tts('Another line.'), ...known], { budget: 0.5, limits: { window: 1 } });
  expect(await world.outcomes('second')).toEqual(['skipped', ...known.map(() => 'cached')]);
  expect(await world.paidRequests()).toBe(120);
});

describe('whether earlier results are used', () => {
  it('is for a person to say: fresh results, none but those, none at all', async () => {
    await world.run('off', [tts()], { cache: 'off' });
    await world.run('only', [tts()], { cache: 'only' });
    const skipped = { outcome: 'skipped', failure: { class: 'NotCached' }, charges: [] };
    expect(await world.row(1, 'only')).toMatchObject(skipped);
    expect(await world.paidRequests()).toBe(1);
    await world.run('on', [tts()]);
    await world.run('fresh', [tts(), tts()], { cache: 'fresh' });
    expect(await world.outcomes('fresh')).toEqual(['succeeded', 'succeeded']);
    expect(await world.paidRequests()).toBe(4);
    await world.run('after', [tts(), tts('Other.')], { cache: 'only' });
    expect(await world.outcomes('after')).toEqual(['cached', 'skipped']);
    // Not the budget left that row out.
    expect(await world.ledger.counts('after')).toMatchObject({ notCached: 1, outcomes: { skipped: 1 } });
    expect(await world.ledger.skippedQuotes('after')).toEqual({ overBudget: 0, notChosen: 0 });
    expect((await world.row(1, 'after')).charges).toMatchObject([{ source: { from: { batch: 'fresh' } } }]);
    expect(await world.paidRequests()).toBe(4);
  });

  it('holds for the next step too, if a person says so while the one before is made', async () => {
    await world.fill([dub()], { cache: 'on' });
    const { ended, release } = await world.stopAt('before-rename', (worker) => worker.work(), withMedia());
    await world.ledger.tune(BATCH, { cache: 'only' });
    release();
    await ended;
    expect(await world.row()).toMatchObject({ outcome: 'skipped', failure: { class: 'NotCached' } });
    expect(await world.attempts()).toEqual(['speech 1 accepted']);
    expect(world.charges()).toHaveLength(1);
  });

  it('is not asked where a person runs a good row again', async () => {
    for (const name of ['first', 'second']) await world.run(name, [tts()]);
    for (const name of ['first', 'second']) {
      const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
      await redriveNow(world.ledger, name, [{ row: 1, take: 1, how }]);
      await world.work(name);
      expect(await world.outcomes(name)).toEqual(['succeeded']);
    }
    expect(await world.paidRequests()).toBe(3);
  });
});

describe('the steps of a chain', () => {
  it('keep the speech if only the video is another', async () => {
    await run('first', [dub()]);
    await run('second', [{ ...dub(), video: 'https://media.example/another.mp4' }]);
    expect(await world.attempts(1, 'second')).toEqual(['speech 1 cached', 'lip-sync 1 accepted']);
    expect(await world.outcomes('second')).toEqual(['succeeded']);
    expect(world.operations()).toEqual(['speech-job', 'lip-sync-job', 'lip-sync-job']);
  });

  it('are none if the whole row was made before', async () => {
    for (const name of ['first', 'second']) await run(name, [{ ...dub(), duration: 4 }]);
    expect(await world.attempts(1, 'second')).toEqual(['lip-sync 1 cached']);
    expect(await world.outcomes('second')).toEqual(['cached']);
    expect((await world.ledger.money('second')).saved).toBeGreaterThan(0);
    expect((await world.ledger.money('first')).charged).toBeGreaterThan(0);
    expect(world.charges()).toHaveLength(2);
  });

  it('make the speech again if the API has forgotten its job', async () => {
    await run('first', [tts('Good evening.')]);
    await world.plan({ on: 'read', fault: { kind: 'status', status: 404 }, times: 2 });
    await run('second', [dub()]);
    expect(await world.attempts(1, 'second')).toEqual(['speech 1 revoked', 'speech 2 accepted', 'lip-sync 1 accepted']);
    expect(await world.outcomes('second')).toEqual(['succeeded']);
    expect(world.charges()).toHaveLength(3);
  });

  it('leave no video behind that was made with a speech of which nobody knows what it says', async () => {
    await world.fill([dub()], { name: 'first', cache: 'on' });
    const key = { ...keyOf(1), batch: 'first' };
    const failure = { class: 'OutcomeUnknown', message: 'No answer.' } as const;
    await world.ledger.intend(key, INTENT);
    await world.ledger.settle(key, { verdict: 'unknown', failure }, { outcome: 'unknown', failure });
    // A person may be mistaken.
    const jobId = await world.makeJob(tts('Something else.'));
    await world.ledger.decide(key, { type: 'adopted', jobId }, ANN);
    await (await world.worker(withMedia())).work('first');
    expect(await world.outcomes('first')).toEqual(['succeeded']);
    await run('second', [dub()]);
    expect(await world.attempts(1, 'second')).toEqual(['speech 1 accepted', 'lip-sync 1 accepted']);
  });
});
