import { readFile } from 'node:fs/promises';
import { beforeEach, expect, it } from '@jest/globals';
import { expectKept } from '../ledger/recount.ts';
import { outcomesOf, runBatch } from './cached.ts';
import { damage, draftOf, redrive } from './redriven.ts';
import { tts } from './rows.ts';
import { verified } from './verified.ts';
import { createWorld, type World } from './world.ts';

/**
 * Copies of earlier results whose stored files are damaged: nothing of them was paid for, and nothing is. An equal file of
 * another row will do; without one, the job that made the result is read again.
 */

const FORGOTTEN = { rules: [{ on: 'read', fault: { kind: 'status', status: 404 } }] };
const GONE = { outcome: 'failed', failure: { class: 'ResultGone' } };

let world: World;
beforeEach(async () => {
  world = await createWorld();
});

async function begin(spec = tts()): Promise<void> {
  const worker = await world.worker();
  await runBatch(world, worker, 'first', [spec]);
  await runBatch(world, worker, 'second', [spec]);
  expect(await outcomesOf(world, 'second')).toEqual(['cached']);
}

/** The file of a row as it was is in the store, and the sums of its batch are those of its rows. */
async function expectWhole(batch: string, sha256: string | undefined): Promise<void> {
  const { file } = await world.row(1, batch);
  expect(file?.sha256).toBe(sha256);
  const path = (await world.worker()).deps.store.pathOf(file?.key ?? '') ?? '';
  expect(await readFile(path)).toHaveLength(file?.bytes ?? -1);
  expect((await draftOf(world, { damaged: true }, batch)).draft.count).toBe(0);
  await expectKept(await world.look(), batch);
}

it.each([
  ['speech', tts(), 1],
  ['verified speech', verified(), 2],
])(
  'a copy of %s comes from the job of the row that paid, free, if the file of that is damaged, too',
  async (_, spec, paid) => {
    await begin(spec);
    const before = await world.row(1, 'second');
    const { saved } = await (await world.look()).money('second');
    await damage(world, 1, 'first');
    await damage(world, 1, 'second', 'missing');
    expect(await redrive(world, { damaged: true }, 'second')).toEqual({ paying: 0, waits: 1 });
    const after = await world.row(1, 'second');
    expect(after).toMatchObject({ outcome: 'cached', take: 1, failure: null });
    expect(after.charges.map(({ state, jobId, charged, source }) => ({ state, jobId, charged, source }))).toEqual(
      before.charges.map(({ source }) => ({ state: 'cached', jobId: null, charged: null, source })),
    );
    await expectWhole('second', before.file?.sha256);
    expect(await (await world.look()).money('second')).toMatchObject({
      saved,
      charged: 0,
      damaged: 0,
      estimated: false,
    });
    expect(world.charges()).toHaveLength(paid);
    await runBatch(world, await world.worker(), 'third', [spec]);
    expect(await outcomesOf(world, 'third')).toEqual(['cached']);
    expect(world.charges()).toHaveLength(paid);
  },
);

it('a copy comes from the whole file of an equal row, even if the API has forgotten the job', async () => {
  await begin();
  const { file } = await world.row(1, 'second');
  await damage(world, 1, 'second');
  await world.change('plan', FORGOTTEN);
  expect(await redrive(world, { damaged: true }, 'second')).toEqual({ paying: 0, waits: 1 });
  expect(await world.row(1, 'second')).toMatchObject({ outcome: 'cached', take: 1, file });
  await expectWhole('second', file?.sha256);
});

it('a row that paid has its file back from a copy, even if the API has forgotten the job', async () => {
  await begin();
  const { file } = await world.row(1, 'first');
  await damage(world, 1, 'first');
  await world.change('plan', FORGOTTEN);
  expect(await redrive(world, { damaged: true }, 'first')).toEqual({ paying: 0, waits: 1 });
  expect(await world.row(1, 'first')).toMatchObject({ outcome: 'succeeded', take: 1, file });
  await expectWhole('first', file?.sha256);
  expect(world.charges()).toHaveLength(1);
});

it('a copy comes with its original, once that is back', async () => {
  await begin();
  const { file } = await world.row(1, 'second');
  await damage(world, 1, 'first');
  await damage(world, 1, 'second');
  await redrive(world, { damaged: true }, 'first');
  await world.change('plan', FORGOTTEN);
  expect(await redrive(world, { damaged: true }, 'second')).toEqual({ paying: 0, waits: 1 });
  await expectWhole('second', file?.sha256);
  expect(world.charges()).toHaveLength(1);
});

it('a copy whose job is forgotten, and of which no row has the file, leaves it to a person to pay', async () => {
  await begin();
  await damage(world, 1, 'first');
  await damage(world, 1, 'second');
  await world.change('plan', FORGOTTEN);
  await redrive(world, { damaged: true }, 'second');
  expect(await world.row(1, 'second')).toMatchObject({ ...GONE, charges: [{ state: 'cached', jobId: null }] });
  expect(await redrive(world, {}, 'second')).toEqual({ paying: 0, waits: 1 });
  expect(world.charges()).toHaveLength(1);
  expect(await redrive(world, { resubmit: true }, 'second')).toEqual({ paying: 1, waits: 0 });
  await expectKept(await world.look(), 'second');
});

it('a copy whose batch was stopped meanwhile is read again, free', async () => {
  await begin();
  const { file } = await world.row(1, 'second');
  await damage(world, 1, 'first');
  await damage(world, 1, 'second');
  const ledger = await world.look();
  const lost = { class: 'ResultGone', message: 'It is missing.' } as const;
  await ledger.redrive('second', [{ row: 1, take: 1, outcome: 'cached', how: { type: 'wait' }, lost }]);
  await expectKept(ledger, 'second');
  await ledger.stopNow('second');
  await ledger.closeBatch('second');
  expect(await world.row(1, 'second')).toMatchObject({ outcome: 'overdue' });
  expect(await redrive(world, {}, 'second')).toEqual({ paying: 0, waits: 1 });
  expect(await world.row(1, 'second')).toMatchObject({ outcome: 'cached', take: 1 });
  await expectWhole('second', file?.sha256);
  expect(world.charges()).toHaveLength(1);
});

it('other content in place of a copy says so, and costs nothing', async () => {
  await begin();
  await damage(world, 1, 'second');
  const ledger = await world.look();
  const { file } = await world.row(1, 'second');
  if (file === null) throw new Error('there is no file');
  const lost = { class: 'ResultGone', message: 'It is missing.' } as const;
  await ledger.redrive('second', [{ row: 1, take: 1, outcome: 'cached', how: { type: 'wait' }, lost }]);
  const other = { ...file, key: 'other.mp3', sha256: 'b'.repeat(64) };
  const key = { batch: 'second', row: 1, step: 'speech', take: 1, attempt: 1 } as const;
  await ledger.finishJob(key, { file: other, credits: 9 }, { outcome: 'succeeded', file: other });
  expect(await world.row(1, 'second')).toMatchObject({
    outcome: 'cached',
    file: { ...other, oddity: expect.stringMatching(/another/) },
    charges: [{ state: 'cached', jobId: null, charged: null }],
  });
  await expectKept(ledger, 'second');
});
