import { expect, it } from '@jest/globals';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { adoptFile } from '../../../batches/reconcile/adopt-file.ts';
import { releaseTake, type SettledRow } from '../../../batches/reconcile/decisions.ts';
import { forgottenResults } from '../../../batches/reconcile/forgotten-results.ts';
import { refuseForgottenResults } from '../../../client/results/forgotten-results.ts';
import { freeReadsOf } from '../../../worker/dependencies.ts';
import { BATCH, tts } from '../../activities/rows.ts';
import type { Worker } from '../../activities/worker.ts';
import { begin, createWorld, type World } from '../../activities/world.ts';
import { redriveNow } from '../../ledger/setup.ts';
import { ANN } from '../../support/ann.ts';

/** Stored results that a person names for rows: of a lost batch, in a folder of the batch's name. */

const LOST = `${BATCH}-0123456789`;
const PAY = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;

/** Names a file for a row. */
async function adopt({ deps }: Worker, row: number, file: string, batch = BATCH, take?: number): Promise<SettledRow> {
  const record = await deps.ledger.findBatch(batch);
  if (record === undefined) throw new Error(`there is no batch ${batch}`);
  const named = { row, jobId: file, ...(take === undefined ? {} : { take }) };
  return adoptFile(deps.ledger, { reads: freeReadsOf(deps), store: deps.store }, record, named, ANN);
}

/** Lets the store have a result of another batch in a folder, as if that were a lost batch. Returns its key. */
async function lose(world: World, key: string): Promise<string> {
  if ((await world.ledger.findBatch('other')) === undefined) await world.run('other', [tts('Lost.')], { cache: 'off' });
  await cp(await world.pathOf(1, 'other'), join(world.folder, 'store', key));
  return key;
}

/** Three rows without a result, as if they were put on record again. */
async function skipAll(): Promise<{ readonly world: World; readonly worker: Worker }> {
  const begun = await begin([tts('One.'), tts('Two.'), tts('Three.')], { wanted: { cache: 'only' } });
  await begun.world.work();
  return begun;
}

it('a file that is not below the folder of a lost batch of that name is refused', async () => {
  const { world, worker } = await skipAll();
  await lose(world, `${LOST}/0000/1-speech-1.mp3`);
  const elsewhere = await world.row(1, 'other');
  for (const file of [
    `${LOST}/../${elsewhere.file?.key ?? ''}`,
    `${LOST}/./0000/1-speech-1.mp3`,
    `${LOST}//0000/1-speech-1.mp3`,
    `/${LOST}/0000/1-speech-1.mp3`,
    `../store/${LOST}/0000/1-speech-1.mp3`,
    elsewhere.file?.key ?? '',
  ])
    expect([file, await adopt(worker, 1, file)]).toMatchObject([file, { why: { type: 'other-file' } }]);
  expect(await world.row()).toMatchObject({ outcome: 'skipped', charges: [] });
});

it('a file is given once: to no other take of its row, and to no row of a batch whose long name begins alike', async () => {
  const { world, worker } = await skipAll();
  const key = await lose(world, `${LOST}/0000/1-speech-1.mp3`);
  for (let times = 0; times < 2; times++) expect(await adopt(worker, 1, key)).toMatchObject({ type: 'found' });
  expect(await adopt(worker, 1, key, BATCH, 2)).toMatchObject({ why: { type: 'other-file' } });
  expect(await world.attempts()).toEqual(['speech 1 done']);

  const long = 'x'.repeat(48);
  const names = [`${long}-a`, `${long}-b`];
  for (const name of names) await world.run(name, [tts('One.')], { cache: 'only' });
  const shared = await lose(world, `${long}-0123456789/0000/1-speech-1.mp3`);
  const became = await Promise.all(names.slice(0, 1).map((name) => adopt(worker, 1, shared, name)));
  expect(became).toMatchObject([{ type: 'found' }]);
  expect(await adopt(worker, 1, shared, names[1])).toMatchObject({ why: { type: 'other-file' } });
});

it('a row that was refused when it was sent again gets its file as its next take, as it is named', async () => {
  const world = await createWorld({ rules: [{ on: 'create', fault: { kind: 'status', status: 400 } }] });
  await world.run(BATCH, [tts('One.')]);
  const worker = await world.worker();
  expect(await world.outcomes()).toEqual(['failed']);
  await world.plan();
  const key = await lose(world, `${LOST}/0000/1-speech-1.mp3`);
  await world.ledger.acceptCopy(ANN);
  const found = await forgottenResults(world.ledger, worker.deps.store, await world.batch());
  expect(found).toMatchObject([{ row: 1, key, take: 2, unsent: null }]);
  expect(await adopt(worker, 1, key, BATCH, found[0]?.take)).toMatchObject({ type: 'found', newTake: 2 });
  expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 2, file: { key } });
});

it('rows that only the store has results of are refused where the cache mode is left, or left out rows are opened, but not once a person has opened them', async () => {
  const { world } = await skipAll();
  for (const row of [1, 2]) await lose(world, `${LOST}/0000/${String(row)}-speech-1.mp3`);
  await world.ledger.acceptCopy(ANN);
  const place = { store: join(world.folder, 'store'), env: {} };
  const tune = async (opensLeftOut = false, store = place.store): Promise<void> =>
    refuseForgottenResults({ ...place, store }, world.ledger, await world.batch(), { cache: 'on' }, { opensLeftOut });
  await tune(true);
  await world.ledger.clearDoubts(ANN);
  await redriveNow(world.ledger, BATCH, [{ row: 1, take: 1, how: PAY }]);
  await expect(tune()).rejects.toMatchObject({ problem: { type: 'forgotten-results', rows: [{ row: 1 }] } });
  // A command that reaches another store than the workers do sees none of them.
  await expect(tune(false, join(world.folder, 'elsewhere'))).rejects.toMatchObject({
    problem: { type: 'store-missing' },
  });
  await world.ledger.tune(BATCH, { cache: 'on' });
  await tune();
});

it('a file that was given to the wrong row is taken back, free, and the row can have another', async () => {
  const { world, worker } = await skipAll();
  const wrong = await lose(world, `${LOST}/0000/2-speech-1.mp3`);
  const right = await lose(world, `${BATCH}-abcdef0123/0000/2-speech-1.mp3`);
  expect(await adopt(worker, 2, wrong)).toMatchObject({ type: 'found' });
  for (let times = 0; times < 2; times++)
    expect(await releaseTake(world.ledger, BATCH, { row: 2 }, ANN)).toMatchObject({ type: 'released', jobId: wrong });
  const failure = { message: expect.stringContaining(`File ${wrong} was given`) as unknown };
  expect(await world.row(2)).toMatchObject({ outcome: 'unknown', file: null, failure });
  expect(await world.ledger.money(BATCH)).toMatchObject({ charged: 0 });
  expect(await adopt(worker, 2, right)).toMatchObject({ type: 'found' });
  expect(await world.row(2)).toMatchObject({ outcome: 'succeeded', file: { key: right } });
  expect(await world.attempts(2)).toEqual(['speech 1 done']);
});

it('a row can have another file than one that turned out to be no result', async () => {
  const { world, worker } = await skipAll();
  const broken = `${LOST}/0000/1-speech-1.mp3`;
  const right = await lose(world, `${BATCH}-abcdef0123/0000/1-speech-1.mp3`);
  await mkdir(dirname(join(world.folder, 'store', broken)), { recursive: true });
  await writeFile(join(world.folder, 'store', broken), 'no sound');
  for (let times = 0; times < 2; times++)
    expect(await adopt(worker, 1, broken)).toMatchObject({ why: { type: 'no-file' } });
  expect(await adopt(worker, 1, right)).toMatchObject({ type: 'found' });
  expect(await world.row()).toMatchObject({ outcome: 'succeeded', file: { key: right } });
  expect(await world.attempts()).toEqual(['speech 1 done']);
});
