import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { explainRow, type RowHistory } from '../../batches/rows/explain.ts';
import { openRows } from '../../batches/redrive/redrive.ts';
import type { RedriveDraft } from '../../batches/redrive/draft.ts';
import type { RedriveSelection } from '../../batches/redrive/selection.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import { forecastLines } from '../../starters/redrive/redrive-words.ts';
import { BATCH, speaks, FORGOTTEN, FREE, PARTS, type Wanted, type Rule } from './rows.ts';
import { createWorld, type World } from './world.ts';
import { lazyFileReader } from '../../store/open-store.ts';
import { ANN } from '../support/ann.ts';

/** Row 1 is spoken in parts, which are rows 2 to 4. Stored files of it are lost: all is as it was, free. */

const DAMAGED = { damaged: true };
const FAILING_PART: Rule = { on: 'create', match: { text: 'Two is' }, fault: 'job-fails' };

let world: World;

async function begin(spoken: Partial<RowSpec> = {}, rules: readonly Rule[] = [], wanted: Wanted = {}): Promise<void> {
  world = await createWorld({ rules: [...rules] });
  await world.fillInParts(PARTS, wanted, spoken);
  await world.work();
}

const draftOf = async (wish: RedriveSelection = DAMAGED): Promise<RedriveDraft> => (await world.draft(wish)).draft;
const redrive = (): ReturnType<World['redrive']> => world.redrive(DAMAGED);

async function lossOf(row: string): Promise<RowHistory['lost']> {
  const store = { files: lazyFileReader(join(world.folder, 'store')), requireOwn: () => Promise.resolve() };
  const found = await explainRow(world.ledger, await world.batch(), row, store);
  if (found.type !== 'found') throw new Error('there is no such row');
  return found.history.lost;
}

/** What became of the row and its parts. */
async function standing(): Promise<readonly object[]> {
  const rows = await Promise.all([1, 2, 3, 4].map((row) => world.row(row)));
  return rows.map(({ outcome, failure, file }) => ({ outcome, failure, file }));
}

it.each<[string, readonly number[], 'missing' | 'altered', Partial<RowSpec>, readonly Rule[]]>([
  ['the joined file of verified parts', [1], 'missing', { verify: 0.6 }, []],
  ['a verified part', [3], 'altered', { verify: 0.6 }, []],
  ['the joined file and parts', [1, 2, 4], 'altered', { verify: 0.6 }, []],
  ['a part of a row that lacks another, which is not paid for', [4], 'altered', {}, [FAILING_PART]],
])('%s that is lost is back in one go, free', async (_, lost, how, spoken, rules) => {
  await begin(spoken, rules);
  const [before, paid] = [await standing(), world.charges().length];
  expect((await draftOf()).count).toBe(0);
  for (const row of lost) await world.damage(row, BATCH, how);
  if (lost[0] === 1) expect(await lossOf('1')).toEqual({ is: how, isFree: true });
  expect(await draftOf()).toMatchObject({ count: 1, ...FREE });
  expect(await redrive()).toEqual(FREE);
  expect(await standing()).toEqual(before);
  expect(world.charges()).toHaveLength(paid);
  expect((await draftOf()).count).toBe(0);
});

it('a joined file that is made anew is announced as free', async () => {
  await begin();
  await world.damage(1);
  expect(forecastLines(await draftOf(), BATCH)).toEqual([
    `Redrive of batch "${BATCH}", at a cost of nothing`,
    '  1 row whose parts are joined again, free',
  ]);
});

it('a row keeps its joined file if the API has forgotten the job of its lost part', async () => {
  await begin();
  const before = await standing();
  await world.damage(3);
  await world.plan(FORGOTTEN);
  expect(await redrive()).toEqual(FREE);
  expect(await standing()).toEqual(before);
  // It is tried again, free, and not paid for.
  expect(await draftOf()).toMatchObject({ count: 1, ...FREE });
  // Without the joined file, the row cannot do without its part.
  await world.damage(1);
  expect(await redrive()).toEqual(FREE);
  expect(await world.row()).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
  await world.plan();
  expect(await redrive()).toEqual(FREE);
  expect(await standing()).toEqual(before);
  expect(world.charges()).toHaveLength(3);
});

it('a part that was found lost when it was to be joined is fetched by the same command, or taken if its file is back', async () => {
  await begin();
  const before = await standing();
  await world.damage(1);
  const { rows, draft } = await world.draft(DAMAGED);
  const path = await world.pathOf(3);
  await rename(path, `${path}.away`);
  expect(await openRows(world.ledger, BATCH, draft, rows, ANN)).toMatchObject({ opened: 1 });
  await world.work();
  expect(await world.row()).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
  expect(await redrive()).toEqual(FREE);
  expect(await standing()).toEqual(before);
  await rename(path, `${path}.away`);
  await world.damage(1);
  await world.plan(FORGOTTEN);
  expect(await redrive()).toEqual(FREE);
  expect(await world.row(3)).toMatchObject({ outcome: 'failed' });
  await rename(`${path}.away`, path);
  expect(await redrive()).toEqual(FREE);
  expect(await standing()).toEqual(before);
  expect(world.charges()).toHaveLength(3);
});

it('a part that did not pass is fetched again, free, and may then be accepted', async () => {
  await begin({ verify: 0.25 }, [speaks('other-words')]);
  const [before, paid] = [await standing(), world.charges().length];
  const at = before.findIndex((row) => 'outcome' in row && row.outcome === 'unfit') + 1;
  await world.damage(at);
  expect(await lossOf(`#${at}`)).toEqual({ is: 'altered', isFree: true });
  expect(await redrive()).toEqual(FREE);
  expect(await standing()).toEqual(before);
  expect((await draftOf()).count).toBe(0);
  await world.redrive({ accept: true });
  expect(await world.row()).toMatchObject({ outcome: 'succeeded' });
  expect(world.charges()).toHaveLength(paid);
});

it('a part that no job made is paid for only if its row needs it, or if it is named', async () => {
  await begin({}, [], { tts: 'sync' });
  await world.damage(3);
  expect((await draftOf()).count).toBe(0);
  expect(await draftOf({ ...DAMAGED, rows: ['3'] })).toMatchObject({ paying: 1, replaced: 1, lost: 1 });
  await world.damage(1);
  expect(await lossOf('1')).toEqual({ is: 'altered', isFree: false });
  expect(await draftOf()).toMatchObject({ parts: 1, paying: 1, replaced: 1, lost: 1 });
  expect(await redrive()).toEqual({ paying: 1, waits: 0 });
  expect(await world.row()).toMatchObject({ outcome: 'succeeded' });
  expect(world.charges()).toHaveLength(4);
});
