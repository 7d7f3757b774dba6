import { rename } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { RowSpec } from '../../contract/row-kinds.ts';
import { BATCH, tts, dub, verified, speaks, FORGOTTEN, FREE, type Rule } from './rows.ts';
import { findingAllSilent, type Worker } from './worker.ts';
import { begin, type World } from './world.ts';

/** Results that were kept although they did not pass a check, and whose stored files are lost: all is as it was, free. */

const DAMAGED = { damaged: true, rows: ['1'] };

/** The first file that is fetched is silent, and of another format than the speech itself. */
const SILENT_FIRST: Rule = {
  on: 'download',
  operation: 'speech-job',
  fault: { kind: 'wrong-type', body: 'silence' },
  times: 1,
};

/** A row that has ended unfit: its first speech is silent, or all, or lacks a sentence if the row is verified. */
async function withUnfit(spec: RowSpec, isFirst = false, isSync = false): Promise<{ world: World; worker: Worker }> {
  const rules = isFirst ? [SILENT_FIRST] : spec.verify === undefined ? [] : [speaks('missing-sentence')];
  const finds = isFirst || spec.verify !== undefined ? {} : { store: findingAllSilent() };
  const one = await begin([spec], { rules, ...finds, ...(isSync && { wanted: { tts: 'sync' } }) });
  await one.worker.work();
  expect(await one.world.outcomes()).toEqual(['unfit']);
  return one;
}

/** What a person sees of the row, and its requests. */
async function standing(world: World): Promise<object> {
  const { outcome, failure, file, take, charges } = await world.row();
  return { outcome, failure, file, take, charges: charges.map((charge) => ({ ...charge, finishedAt: null })) };
}

async function expectNothingLeft(world: World): Promise<void> {
  expect((await world.draft(DAMAGED)).draft.count).toBe(0);
}

it.each([
  ['silent speech', tts()],
  ['the silent speech of a chain', dub()],
  ['speech that says something else', verified()],
])('%s is fetched again, and may then be accepted', async (_, spec) => {
  const { world, worker } = await withUnfit(spec);
  const [before, paid] = [await standing(world), world.charges().length];
  await expectNothingLeft(world);
  await world.damage();
  expect(await world.redrive(DAMAGED, BATCH, worker)).toEqual(FREE);
  expect(await standing(world)).toEqual(before);
  await expectNothingLeft(world);
  expect(world.charges()).toHaveLength(paid);
  if (spec.kind === 'dub') return;
  await world.redrive({ accept: true }, BATCH, worker);
  expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 1 });
  // A person has accepted it, so its file is lost and back as that of any other result.
  await world.damage();
  expect(await world.redrive(DAMAGED, BATCH, worker)).toEqual(FREE);
  expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 1 });
  expect(world.charges()).toHaveLength(paid);
});

it('what cannot be fetched leaves the row as it ended, and a file that is back is taken', async () => {
  const { world, worker } = await withUnfit(verified());
  const [before, path] = [await standing(world), await world.pathOf()];
  const { file, failure } = await world.row();
  await rename(path, `${path}.away`);
  await world.plan(FORGOTTEN);
  expect(await world.redrive(DAMAGED, BATCH, worker)).toEqual(FREE);
  expect(await world.row()).toMatchObject({ outcome: 'unfit', failure, file });
  await rename(`${path}.away`, path);
  expect(await world.redrive(DAMAGED, BATCH, worker)).toEqual(FREE);
  expect(await standing(world)).toEqual(before);
  expect(world.charges()).toHaveLength(2);
});

it('what no job made is not paid for in its stead: nobody has asked for another one', async () => {
  const { world } = await withUnfit(tts(), false, true);
  await world.damage();
  await expectNothingLeft(world);
});

it.each([
  ['of a chain', dub(), 'lip-sync-job'],
  ['that is to be verified', { ...tts(), verify: 0.25 }, 'transcription'],
] as const)(
  'good speech %s that comes in place of lost unfit speech is kept, and nothing goes on by itself at a price',
  async (_, spec, operation) => {
    const { world } = await withUnfit(spec, true);
    const [{ file }, paid] = [await world.row(), world.charges().length];
    await world.damage();
    expect(await world.redrive(DAMAGED)).toEqual(FREE);
    const after = await world.row();
    expect(after).toMatchObject({ outcome: 'unfit', failure: { cause: 'not verified' } });
    // It names the file that is there, not the lost one.
    expect(after.file?.key).not.toBe(file?.key);
    await expectNothingLeft(world);
    expect(world.charges()).toHaveLength(paid);
    // A person who wants to go on is told the price, and pays for what is missing only.
    expect(await world.redrive()).toEqual({ paying: 1, waits: 0 });
    expect(await world.outcomes()).toEqual(['succeeded']);
    expect(world.operations().slice(paid)).toEqual([operation]);
  },
);

it('good speech that comes in place of silent speech which a person accepted is not verified at a price', async () => {
  const { world } = await withUnfit({ ...tts(), verify: 0.25 }, true);
  await world.redrive({ accept: true });
  expect(await world.outcomes()).toEqual(['succeeded']);
  const paid = world.charges().length;
  await world.damage();
  expect(await world.redrive(DAMAGED)).toEqual(FREE);
  expect(await world.row()).toMatchObject({ outcome: 'unfit', failure: { cause: 'not verified' } });
  expect(world.charges()).toHaveLength(paid);
});

it('other speech that is unfit, too, is the one that the row names', async () => {
  const { world } = await withUnfit(tts(), true);
  const { file } = await world.row();
  await world.damage();
  const worker = await world.worker({ store: findingAllSilent() });
  expect(await world.redrive(DAMAGED, BATCH, worker)).toEqual(FREE);
  const after = await world.row();
  expect(after.outcome).toBe('unfit');
  expect(after.file?.key).not.toBe(file?.key);
  await expectNothingLeft(world);
});
