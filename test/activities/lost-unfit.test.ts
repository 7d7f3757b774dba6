import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { RowSpec } from '../../contract/row-kinds.ts';
import { workOn } from './cached.ts';
import { damage, draftOf, redrive as redriveIn } from './redriven.ts';
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
