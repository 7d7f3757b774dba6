import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import { draftLines } from '../../starters/redrive/redrive-words.ts';
import { findLoss, storedContent } from '../../batches/redrive/find-loss.ts';
import type { ResultFile } from '../../ledger/record-types.ts';
import { workOn } from './cached.ts';
import { draftOf, redrive } from './redriven.ts';
import { BATCH, stt } from './rows.ts';
import { createWorld, type World } from './world.ts';

/** Lost files of transcripts. No job can be read for them; but the text is on record, and subtitles have two forms. */

const DAMAGED = { damaged: true, rows: ['1'] };

let world: World;
let folder: string;
beforeEach(async () => {
  world = await createWorld();
  folder = join(world.folder, 'store');
  await world.fill([stt()]);
  await workOn(await world.worker(), BATCH);
});

/** The row's files by their extensions. */
async function files(): Promise<ReadonlyMap<string, ResultFile>> {
  const { file, extraFiles } = await world.row(1);
  return new Map([...extraFiles, ...(file === null ? [] : [file])].map((one) => [one.extension, one]));
}

async function lose(...extensions: readonly string[]): Promise<void> {
  const all = await files();
  for (const extension of extensions) await rm(join(folder, all.get(extension)?.key ?? ''));
}

const lossOf = async (): Promise<unknown> => {
  const { charges, ...row } = await world.row(1);
  return findLoss({ row, charges }, { folder, requireOwn: () => Promise.resolve() });
};

it.each([[['txt']], [['srt']], [['vtt']], [['txt', 'vtt']]])('%j are written again, free', async (lost) => {
  await lose(...lost);
  expect(await lossOf()).toEqual({ is: 'missing', isFree: true });
  const { draft } = await draftOf(world, DAMAGED);
  expect(draftLines(draft, BATCH)).toEqual([
    `Batch "${BATCH}": nothing to redrive`,
    '  1 row whose lost text is written again from what is on record, free',
  ]);
  for (const file of (await files()).values()) expect(await storedContent(folder, file)).toBe(file.sha256);
  expect(await lossOf()).toBeUndefined();
  expect(world.charges()).toHaveLength(1);
});

it('an altered text is written again, too', async () => {
  await writeFile(join(folder, (await files()).get('txt')?.key ?? ''), 'x');
  expect(await lossOf()).toEqual({ is: 'altered', isFree: true });
  await draftOf(world, DAMAGED);
  expect(await lossOf()).toBeUndefined();
});

it('only subtitles of which both forms are lost have a price', async () => {
  await lose('srt');
  await writeFile(join(folder, (await files()).get('vtt')?.key ?? ''), 'WEBVTT\n');
  expect(await lossOf()).toEqual({ is: 'missing', isFree: false });
  expect((await draftOf(world, DAMAGED)).draft).toMatchObject({ replaced: 1, lost: 1, paying: 1 });
  expect(await redrive(world, DAMAGED)).toEqual({ paying: 1, waits: 0 });
  expect(await lossOf()).toBeUndefined();
  expect(world.charges()).toHaveLength(2);
});

it('who names the row alone wants another, and is told that it replaces a result', async () => {
  await lose('txt');
  expect((await draftOf(world, { rows: ['1'] })).draft).toMatchObject({ replaced: 1, lost: 0, paying: 1 });
  expect(await lossOf()).toMatchObject({ is: 'missing' });
});
