import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { chosenRows, type RedriveSelection, rulesOf } from '../../batches/redrive/selection.ts';
import { withLostFiles } from '../../batches/redrive/lost-files.ts';
import { draftRedrive, openRows } from '../../batches/redrive/redrive.ts';
import { BATCH, tts } from './rows.ts';
import { workOn } from './cached.ts';
import { createWorld, type World } from './world.ts';

/** Files that were taken for lost, and are back: a disk was not mounted, or a backup was restored. */

let world: World;

async function begin(): Promise<void> {
  world = await createWorld();
  await world.fill([tts()]);
  await work();
}

const work = async (): Promise<unknown> => workOn(await world.worker(), BATCH);
const operations = (): readonly string[] => world.charges().map(({ operation }) => operation);

/** Moves the row's file away, or back. Returns the other direction. */
async function away(): Promise<() => Promise<void>> {
  const path = join(world.folder, 'store', (await world.row(1)).file?.key ?? '');
  await rename(path, `${path}.away`);
  return () => rename(`${path}.away`, path);
}

/** As `voxbatch redrive` does, without the work. Returns how many rows cost something. */
async function open(wish: RedriveSelection, requireOwn = (): Promise<void> => Promise.resolve()): Promise<number> {
  const ledger = await world.look();
  const batch = await ledger.findBatch(BATCH);
  if (batch === undefined) throw new Error('there is no batch');
  const rules = rulesOf(wish);
  const chosen = chosenRows(ledger, BATCH, wish.rows === undefined ? {} : { rows: wish.rows.map(Number) });
  const rows = withLostFiles(
    chosen,
    { ledger, batch: BATCH, store: { folder: join(world.folder, 'store'), requireOwn } },
    rules,
  );
  const draft = await draftRedrive(ledger, batch, rows, rules);
  expect(await openRows(ledger, BATCH, draft, rows)).toMatchObject({ type: 'opened', opened: 1 });
  return draft.paying;
}

async function stopNow(): Promise<void> {
  const ledger = await world.look();
  await ledger.stopNow(BATCH);
  await ledger.closeBatch(BATCH);
}

it('a row whose file is back has it again, free, though its job is gone', async () => {
  await begin();
  const before = await world.row(1);
  const bringBack = await away();
  await open({ rows: ['1'] });
  await world.change('plan', { rules: [{ on: 'read', fault: { kind: 'status', status: 404 } }] });
  await work();
  expect(await world.row(1)).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' }, file: null });
  await bringBack();
  expect(await open({ outcomes: ['failed'] })).toBe(0);
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 1, failure: null, file: before.file });
  expect(operations()).toEqual(['speech-job']);
});

it('a row that was stopped while its job was read again has its file back, too', async () => {
  await begin();
  const bringBack = await away();
  await open({ rows: ['1'] });
  await stopNow();
  expect(await world.row(1)).toMatchObject({ outcome: 'overdue' });
  await bringBack();
  expect(await open({ rows: ['1'], resubmit: true })).toBe(0);
  expect(await world.row(1)).toMatchObject({
    outcome: 'succeeded',
    take: 1,
    file: (await world.row(1)).charges[0]?.file,
  });
});

it('another file under its name is not taken for it', async () => {
  await begin();
  const { file } = await world.row(1);
  await away();
  await open({ rows: ['1'] });
  await stopNow();
  await writeFile(join(world.folder, 'store', file?.key ?? ''), 'x'.repeat(file?.bytes ?? 0));
  await open({ rows: ['1'] });
  expect(await world.row(1)).toMatchObject({ outcome: null, state: 'processing' });
  await work();
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', file });
  expect(operations()).toEqual(['speech-job']);
});

it('no file is lost where the store is not the one that it was put into', async () => {
  await begin();
  await rm(join(world.folder, 'store'), { recursive: true });
  await expect(open({ rows: ['1'] }, () => Promise.reject(new Error('not mounted')))).rejects.toThrow('not mounted');
  expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', failure: null });
});
