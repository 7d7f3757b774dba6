import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import { forecastLines } from '../../starters/redrive/redrive-words.ts';
import { findLoss } from '../../batches/redrive/find-loss.ts';
import { checkStored } from '../../results/files.ts';
import type { ResultFile } from '../../ledger/records.ts';
import { lazyFileReader } from '../../store/open-store.ts';
import { BATCH, stt } from './rows.ts';
import { begin, type World } from './world.ts';

/** Lost files of transcripts. No job can be read for them; but the text is on record, and subtitles have two forms. */

const DAMAGED = { damaged: true };

let world: World;
let folder: string;
let files: ReadonlyMap<string, ResultFile>;
beforeEach(async () => {
  const one = await begin([stt()]);
  ({ world } = one);
  folder = join(world.folder, 'store');
  await one.worker.work();
  const { file, extraFiles } = await world.row();
  files = new Map([...extraFiles, ...(file === null ? [] : [file])].map((each) => [each.extension, each]));
});

const pathOf = (extension: string): string => join(folder, files.get(extension)?.key ?? '');

const lossOf = async (): Promise<unknown> => {
  const { charges, ...row } = await world.row();
  return findLoss({ row, charges }, { files: lazyFileReader(folder), requireOwn: () => Promise.resolve() });
};

it.each([[['txt']], [['srt']], [['vtt']], [['txt', 'vtt']]])('%j are written again, free', async (lost) => {
  for (const extension of lost) await rm(pathOf(extension));
  expect(await lossOf()).toEqual({ is: 'missing', isFree: true });
  expect(forecastLines((await world.draft(DAMAGED)).draft, BATCH)).toEqual([
    `Batch "${BATCH}": nothing to redrive`,
    '  1 row whose lost text is written again from what is on record, free',
  ]);
  for (const file of files.values()) expect(await checkStored(file, lazyFileReader(folder))).toBe('intact');
  expect(await lossOf()).toBeUndefined();
  expect(world.charges()).toHaveLength(1);
});

it('an altered text is written again, too', async () => {
  await writeFile(pathOf('txt'), 'x');
  expect(await lossOf()).toEqual({ is: 'altered', isFree: true });
  await world.draft(DAMAGED);
  expect(await lossOf()).toBeUndefined();
});

it('only subtitles of which both forms are lost have a price', async () => {
  await rm(pathOf('srt'));
  await writeFile(pathOf('vtt'), 'WEBVTT\n');
  expect(await lossOf()).toEqual({ is: 'missing', isFree: false });
  expect((await world.draft(DAMAGED)).draft).toMatchObject({ replaced: 1, lost: 1, paying: 1 });
  expect(await world.redrive(DAMAGED)).toEqual({ paying: 1, waits: 0 });
  expect(await lossOf()).toBeUndefined();
  expect(world.charges()).toHaveLength(2);
});

it('who names the row alone wants another, and is told that it replaces a result', async () => {
  await rm(pathOf('txt'));
  expect((await world.draft()).draft).toMatchObject({ replaced: 1, lost: 0, paying: 1 });
  expect(await lossOf()).toMatchObject({ is: 'missing' });
});
