import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { RowSpec } from '../../contract/row-kinds.ts';
import { workOn } from './cached.ts';
import { damage, draftOf, redrive as redriveIn } from './redriven.ts';
import type { FaultPlan } from '../../simulator/fault-plan.ts';
import { BATCH, dub, tts, type Wanted } from './rows.ts';
import { findingAllSilent } from './silent-store.ts';
import { speaks, verified } from './verified.ts';
import type { Worker } from './worker.ts';
import { createWorld, type World } from './world.ts';

/** Results that were kept although they did not pass a check, and whose stored files are lost: all is as it was, free. */

const DAMAGED = { damaged: true, rows: ['1'] };
const FREE = { paying: 0, waits: 1 };
const FORGOTTEN = { rules: [{ on: 'read', fault: { kind: 'status', status: 404 } }] };

let world: World;
let worker: Worker;

async function begin(spec: RowSpec, wanted: Wanted = {}): Promise<void> {
  world = await createWorld({ plan: { rules: spec.verify === undefined ? [] : [speaks('missing-sentence')] } });
  worker = await world.worker(spec.verify === undefined ? { change: findingAllSilent() } : {});
  await world.fill([spec], wanted);
  await workOn(worker, BATCH);
  expect(await world.row(1)).toMatchObject({ outcome: 'unfit' });
}

const redrive = (wish: Parameters<typeof redriveIn>[1]): ReturnType<typeof redriveIn> =>
  redriveIn(world, wish, BATCH, worker);

/** The first file that is fetched is silent, and of another format than the speech itself. */
const SILENT_FIRST: FaultPlan = {
  rules: [{ on: 'download', operation: 'speech-job', fault: { kind: 'wrong-type', body: 'silence' }, times: 1 }],
};

/** What a person sees of the row, and its requests. */
async function standing(): Promise<object> {
  const { outcome, failure, file, take, charges } = await world.row(1);
  return { outcome, failure, file, take, charges: charges.map((charge) => ({ ...charge, finishedAt: null })) };
}

it.each([
  ['silent speech', tts()],
  ['the silent speech of a chain', dub()],
  ['speech that says something else', verified()],
])('%s is fetched again, and may then be accepted', async (_, spec) => {
  await begin(spec);
  const [before, paid] = [await standing(), world.charges().length];
  expect((await draftOf(world, DAMAGED)).draft.count).toBe(0);
  await damage(world);
  expect(await redrive(DAMAGED)).toEqual(FREE);
  expect(await standing()).toEqual(before);
  expect((await draftOf(world, DAMAGED)).draft.count).toBe(0);
  expect(world.charges()).toHaveLength(paid);
  if (spec.kind === 'dub') return;
  await redrive({ accept: true });
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 1 });
  // A person has accepted it, so its file is lost and back as that of any other result.
  await damage(world);
  expect(await redrive(DAMAGED)).toEqual(FREE);
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 1 });
  expect(world.charges()).toHaveLength(paid);
});

it('what cannot be fetched leaves the row as it ended, and a file that is back is taken', async () => {
  await begin(verified());
  const before = await standing();
  const { file, failure } = await world.row(1);
  const path = join(world.folder, 'store', file?.key ?? '');
  await rename(path, `${path}.away`);
  await world.change('plan', FORGOTTEN);
  expect(await redrive(DAMAGED)).toEqual(FREE);
  expect(await world.row(1)).toMatchObject({ outcome: 'unfit', failure, file });
  await rename(`${path}.away`, path);
  expect(await redrive(DAMAGED)).toEqual(FREE);
  expect(await standing()).toEqual(before);
  expect(world.charges()).toHaveLength(2);
});

it('what no job made is not paid for in its stead: nobody has asked for another one', async () => {
  await begin(tts(), { tts: 'sync' });
  await damage(world);
  expect((await draftOf(world, DAMAGED)).draft.count).toBe(0);
});

it.each([
  ['of a chain', dub(), 'lip-sync-job'],
  ['that is to be verified', { ...tts(), verify: 0.25 }, 'transcription'],
] as const)(
  'good speech %s that comes in place of lost unfit speech is kept, and nothing goes on by itself at a price',
  async (_, spec, operation) => {
    world = await createWorld({ plan: SILENT_FIRST });
    worker = await world.worker();
    await world.fill([spec]);
    await workOn(worker, BATCH);
    const before = await world.row(1);
    expect(before).toMatchObject({ outcome: 'unfit' });
    const paid = world.charges().length;
    await damage(world);
    expect(await redrive(DAMAGED)).toEqual(FREE);
    const after = await world.row(1);
    expect(after).toMatchObject({ outcome: 'unfit', failure: { cause: 'not verified' } });
    // It names the file that is there, not the lost one.
    expect(after.file?.key).not.toBe(before.file?.key);
    expect((await draftOf(world, DAMAGED)).draft.count).toBe(0);
    expect(world.charges()).toHaveLength(paid);
    // A person who wants to go on is told the price, and pays for what is missing only.
    expect((await draftOf(world)).draft).toMatchObject({ paying: 1 });
    expect(await redrive({})).toEqual({ paying: 1, waits: 0 });
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded' });
    expect(world.charges().slice(paid)).toMatchObject([{ operation }]);
  },
);

it('good speech that comes in place of silent speech which a person accepted is not verified at a price', async () => {
  world = await createWorld({ plan: SILENT_FIRST });
  worker = await world.worker();
  await world.fill([{ ...tts(), verify: 0.25 }]);
  await workOn(worker, BATCH);
  await redrive({ accept: true });
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded' });
  const paid = world.charges().length;
  await damage(world);
  expect(await redrive(DAMAGED)).toEqual(FREE);
  expect(await world.row(1)).toMatchObject({ outcome: 'unfit', failure: { cause: 'not verified' } });
  expect(world.charges()).toHaveLength(paid);
});

it('other speech that is unfit, too, is the one that the row names', async () => {
  world = await createWorld({ plan: SILENT_FIRST });
  worker = await world.worker();
  await world.fill([tts()]);
  await workOn(worker, BATCH);
  const before = await world.row(1);
  await damage(world);
  worker = await world.worker({ change: findingAllSilent() });
  expect(await redrive(DAMAGED)).toEqual(FREE);
  const after = await world.row(1);
  expect(after).toMatchObject({ outcome: 'unfit' });
  expect(after.file?.key).not.toBe(before.file?.key);
  expect((await draftOf(world, DAMAGED)).draft.count).toBe(0);
});
