import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { explainRow, type RowHistory } from '../../batches/look/explain.ts';
import { openRows } from '../../batches/redrive/redrive.ts';
import type { RedriveSelection } from '../../batches/redrive/selection.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import type { FaultPlan } from '../../simulator/fault-plan.ts';
import { draftLines } from '../../starters/redrive/redrive-words.ts';
import { workOn } from './cached.ts';
import { fillInParts } from './in-parts.ts';
import { damage, draftOf as draftIn, redrive as redriveIn } from './redriven.ts';
import { BATCH, type Wanted } from './rows.ts';
import { speaks } from './verified.ts';
import { createWorld, type World } from './world.ts';

/** Row 1 is spoken in parts, which are rows 2 to 4. Stored files of it are lost: all is as it was, free. */

const DAMAGED = { damaged: true };
const FREE = { paying: 0, waits: 1 };
const FORGOTTEN = { rules: [{ on: 'read', fault: { kind: 'status', status: 404 } }] } satisfies FaultPlan;

let world: World;

async function begin(
  spoken: Partial<RowSpec> = {},
  rules: FaultPlan['rules'] = [],
  wanted: Wanted = {},
): Promise<void> {
  world = await createWorld({ plan: { rules } });
  await fillInParts(world, wanted, BATCH, spoken);
  await workOn(await world.worker(), BATCH);
}

const draftOf = (wish: RedriveSelection = DAMAGED): ReturnType<typeof draftIn> => draftIn(world, wish);
const redrive = (wish: RedriveSelection = DAMAGED): ReturnType<typeof redriveIn> => redriveIn(world, wish);

async function explained(row: string): Promise<RowHistory> {
  const ledger = await world.look();
  const batch = await ledger.findBatch(BATCH);
  if (batch === undefined) throw new Error('there is no batch');
  const store = { folder: join(world.folder, 'store'), requireOwn: () => Promise.resolve() };
  const found = await explainRow(ledger, batch, row, store);
  if (found.type !== 'found') throw new Error('there is no such row');
  return found.history;
}

/** What became of the row and its parts. */
async function standing(): Promise<readonly object[]> {
  const rows = await Promise.all([1, 2, 3, 4].map((row) => world.row(row)));
  return rows.map(({ outcome, failure, file }) => ({ outcome, failure, file }));
}

async function expectNothingLeft(): Promise<void> {
  expect((await draftOf()).draft.count).toBe(0);
}

it('the joined file of verified parts is joined again, free, and costs nothing in advance', async () => {
  await begin({ verify: 0.6 });
  const [before, paid] = [await standing(), world.charges().length];
  await damage(world, 1, BATCH, 'missing');
  expect((await explained('1')).lost).toEqual({ is: 'missing', isFree: true });
  expect(draftLines((await draftOf()).draft, BATCH)).toEqual([
    `Redrive of batch "${BATCH}", at a cost of nothing`,
    '  1 row whose parts are joined again, free',
  ]);
  expect(await redrive()).toEqual(FREE);
  expect(await standing()).toEqual(before);
  expect(world.charges()).toHaveLength(paid);
  await expectNothingLeft();
});

it('a lost part is fetched again, free, and its row has its joined file as before', async () => {
  await begin({ verify: 0.6 });
  const [before, paid] = [await standing(), world.charges().length];
  await damage(world, 3);
  expect(await redrive()).toEqual(FREE);
  expect(await standing()).toEqual(before);
  expect(world.charges()).toHaveLength(paid);
  await expectNothingLeft();
});

it('a row keeps its joined file if the API has forgotten the job of its lost part', async () => {
  await begin();
  const before = await standing();
  await damage(world, 3);
  await world.change('plan', FORGOTTEN);
  expect(await redrive()).toEqual(FREE);
  expect(await standing()).toEqual(before);
  // It is tried again, free, and not paid for.
  expect((await draftOf()).draft).toMatchObject({ count: 1, ...FREE });
  // Without the joined file, the row cannot do without its part.
  await damage(world, 1);
  expect(await redrive()).toEqual(FREE);
  expect(await world.row(1)).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
  await world.change('plan', { rules: [] });
  expect(await redrive()).toEqual(FREE);
  expect(await standing()).toEqual(before);
  expect(world.charges()).toHaveLength(3);
});

it('a joined file and parts that are lost are back in one go', async () => {
  await begin({ verify: 0.6 });
  const [before, paid] = [await standing(), world.charges().length];
  for (const row of [1, 2, 4]) await damage(world, row);
  expect((await explained('1')).lost).toEqual({ is: 'altered', isFree: true });
  expect(await redrive()).toEqual(FREE);
  expect(await standing()).toEqual(before);
  expect(world.charges()).toHaveLength(paid);
  await expectNothingLeft();
});

it('a part that was found lost when it was to be joined is fetched by the same command', async () => {
  await begin();
  const before = await standing();
  await damage(world, 1);
  const { rows, draft } = await draftOf();
  await damage(world, 3);
  expect(await openRows(await world.look(), BATCH, draft, rows)).toMatchObject({ opened: 1 });
  await workOn(await world.worker(), BATCH);
  expect(await world.row(1)).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
  expect(await redrive()).toEqual(FREE);
  expect(await standing()).toEqual(before);
  expect(world.charges()).toHaveLength(3);
});

it('a lost part is fetched again, free, and no failed part of its row is paid for', async () => {
  await begin({}, [{ on: 'create', match: { text: 'Two is' }, fault: 'job-fails' }]);
  const before = await standing();
  await expectNothingLeft();
  await damage(world, 4);
  expect((await draftOf()).draft).toMatchObject({ count: 1, parts: 1, ...FREE });
  await redrive();
  expect(await standing()).toEqual(before);
  expect(world.charges()).toHaveLength(3);
});

it('a part that did not pass is fetched again, free, and may then be accepted', async () => {
  await begin({ verify: 0.25 }, [speaks('other-words')]);
  const [before, paid] = [await standing(), world.charges().length];
  const at = before.findIndex((row) => 'outcome' in row && row.outcome === 'unfit') + 1;
  await damage(world, at);
  expect((await explained(`#${at}`)).lost).toEqual({ is: 'altered', isFree: true });
  expect(await redrive()).toEqual(FREE);
  expect(await standing()).toEqual(before);
  await expectNothingLeft();
  expect(world.charges()).toHaveLength(paid);
  await redrive({ accept: true });
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded' });
  expect(world.charges()).toHaveLength(paid);
});

it('a part that no job made is paid for only if its row needs it, or if it is named', async () => {
  await begin({}, [], { tts: 'sync' });
  await damage(world, 3);
  await expectNothingLeft();
  expect((await draftOf({ ...DAMAGED, rows: ['3'] })).draft).toMatchObject({ paying: 1, replaced: 1, lost: 1 });
  await damage(world, 1);
  expect((await explained('1')).lost).toEqual({ is: 'altered', isFree: false });
  expect((await draftOf()).draft).toMatchObject({ parts: 1, paying: 1, replaced: 1, lost: 1 });
  expect(await redrive()).toEqual({ paying: 1, waits: 0 });
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded' });
  expect(world.charges()).toHaveLength(4);
});

it('a part whose file is back is taken as it is, and no failed part of its row is paid for', async () => {
  await begin();
  const before = await standing();
  const { file } = await world.row(3);
  const path = join(world.folder, 'store', file?.key ?? '');
  await rename(path, `${path}.away`);
  await damage(world, 1);
  await world.change('plan', FORGOTTEN);
  expect(await redrive()).toEqual(FREE);
  expect(await world.row(3)).toMatchObject({ outcome: 'failed' });
  await rename(`${path}.away`, path);
  expect(await redrive()).toEqual(FREE);
  expect(await standing()).toEqual(before);
  expect(world.charges()).toHaveLength(3);
});
