import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { lostFile } from '../../policy/redrive/lost-file.ts';
import { expectKept } from '../ledger/recount.ts';
import { keyOf, tts, verified, FORGOTTEN, FREE } from './rows.ts';
import { createWorld, type World } from './world.ts';

/**
 * Copies of earlier results whose stored files are damaged: nothing of them was paid for, and nothing is. An equal file of
 * another row will do; without one, the job that made the result is read again.
 */

const DAMAGED = { damaged: true };

/** A batch that paid for a row, and a second whose row is a copy of its result; the files of these are damaged. */
async function withCopy(damaged: readonly ('first' | 'second')[], spec = tts()): Promise<World> {
  const world = await createWorld();
  for (const name of ['first', 'second']) await world.run(name, [spec]);
  expect(await world.outcomes('second')).toEqual(['cached']);
  for (const name of damaged) await world.damage(1, name, name === 'second' ? 'missing' : 'altered');
  return world;
}

/** Opens the copy to have its job read again. */
async function reopen(world: World): Promise<void> {
  const lost = lostFile('missing', undefined);
  await world.ledger.redrive('second', [{ row: 1, take: 1, outcome: 'cached', how: { type: 'wait' }, lost }]);
}

/** The file of a row as it was is in the store, the sums of its batch are those of its rows, and nothing more was paid. */
async function expectWhole(world: World, batch: string, outcome: 'cached' | 'succeeded', paid = 1): Promise<void> {
  const row = await world.row(1, batch);
  const sha256 = (await world.row(1, 'first')).charges[0]?.file?.sha256;
  expect(row).toMatchObject({ outcome, take: 1, failure: null, file: { sha256 } });
  expect(await readFile(await world.pathOf(1, batch))).toHaveLength(row.file?.bytes ?? -1);
  expect((await world.draft(DAMAGED, batch)).draft.count).toBe(0);
  await expectKept(world.ledger, batch);
  expect(world.charges()).toHaveLength(paid);
}

it.each([
  ['speech', tts(), 1],
  ['verified speech', verified(), 2],
])(
  'a copy of %s comes from the job of the row that paid, free, if the file of that is damaged, too',
  async (_, spec, paid) => {
    const world = await withCopy(['first', 'second'], spec);
    const [before, { saved }] = [await world.row(1, 'second'), await world.ledger.money('second')];
    expect(await world.redrive(DAMAGED, 'second')).toEqual(FREE);
    const { charges } = await world.row(1, 'second');
    expect(charges.map(({ state, jobId, charged, source }) => ({ state, jobId, charged, source }))).toEqual(
      before.charges.map(({ source }) => ({ state: 'cached', jobId: null, charged: null, source })),
    );
    await expectWhole(world, 'second', 'cached', paid);
    const money = { saved, charged: 0, damaged: 0, estimated: false };
    expect(await world.ledger.money('second')).toMatchObject(money);
    await world.run('third', [spec]);
    expect(await world.outcomes('third')).toEqual(['cached']);
    expect(world.charges()).toHaveLength(paid);
  },
);

it('a row has its file back from one of equal content, even if the API has forgotten the job', async () => {
  for (const [name, outcome] of [
    ['second', 'cached'],
    ['first', 'succeeded'],
  ] as const) {
    const world = await withCopy([name]);
    const { file } = await world.row(1, name);
    await world.plan(FORGOTTEN);
    expect(await world.redrive(DAMAGED, name)).toEqual(FREE);
    expect((await world.row(1, name)).file).toEqual(file);
    await expectWhole(world, name, outcome);
  }
});

it('a copy comes with its original, once that is back', async () => {
  const world = await withCopy(['first', 'second']);
  await world.redrive(DAMAGED, 'first');
  await world.plan(FORGOTTEN);
  expect(await world.redrive(DAMAGED, 'second')).toEqual(FREE);
  await expectWhole(world, 'second', 'cached');
});

it('a copy whose job is forgotten, and of which no row has the file, leaves it to a person to pay', async () => {
  const world = await withCopy(['first', 'second']);
  await world.plan(FORGOTTEN);
  await world.redrive(DAMAGED, 'second');
  const gone = { outcome: 'failed', failure: { class: 'ResultGone' }, charges: [{ state: 'cached', jobId: null }] };
  expect(await world.row(1, 'second')).toMatchObject(gone);
  expect(await world.redrive({}, 'second')).toEqual(FREE);
  expect(world.charges()).toHaveLength(1);
  expect(await world.redrive({ resubmit: true }, 'second')).toEqual({ paying: 1, waits: 0 });
  await expectKept(world.ledger, 'second');
});

it('a copy whose batch was stopped meanwhile is read again, free', async () => {
  const world = await withCopy(['first', 'second']);
  await reopen(world);
  await expectKept(world.ledger, 'second');
  await world.ledger.stopNow('second');
  await world.ledger.closeBatch('second');
  expect(await world.outcomes('second')).toEqual(['overdue']);
  expect(await world.redrive({}, 'second')).toEqual(FREE);
  await expectWhole(world, 'second', 'cached');
});

it('other content in place of a copy says so, and costs nothing', async () => {
  const world = await withCopy(['second']);
  const { file } = await world.row(1, 'second');
  if (file === null) throw new Error('there is no file');
  await reopen(world);
  const other = { ...file, key: 'other.mp3', sha256: 'b'.repeat(64) };
  const key = { ...keyOf(1), batch: 'second' };
  await world.ledger.finishJob(key, { file: other, credits: 9 }, { outcome: 'succeeded', file: other });
  expect(await world.row(1, 'second')).toMatchObject({
    outcome: 'cached',
    file: { ...other, oddity: expect.stringMatching(/another/) },
    charges: [{ state: 'cached', jobId: null, charged: null }],
  });
  await expectKept(world.ledger, 'second');
});
