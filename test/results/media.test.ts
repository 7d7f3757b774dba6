import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { placeFile } from '../../results/media.ts';
import type { RowFile } from '../../results/result-line.ts';
import { FolderOfMedia } from './sample-batch.ts';

let folder: string;
let store: FolderOfMedia;
let placed: RowFile;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-media-'));
  store = new FolderOfMedia(join(folder, 'store'));
  placed = { name: 'media/a.mp3', file: await store.put('b/1-speech-1.mp3', 'a sound') };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('placing a result', () => {
  it('links it, makes its folder where there is none, and keeps it the next time', async () => {
    expect(await placeFile(placed, store, folder)).toBe('placed');
    expect(await placeFile(placed, store, folder)).toBe('kept');
    expect((await stat(join(folder, placed.name))).nlink).toBe(2);
  });

  it('puts it in the place of anything else under its name', async () => {
    const target = join(folder, placed.name);
    await mkdir(dirname(target));
    await writeFile(target, 'something else');
    expect(await placeFile(placed, store, folder)).toBe('placed');
    expect(await readFile(target, 'utf8')).toBe('a sound');
  });

  it('leaves one file where several place it at once, and no parts', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => placeFile(placed, store, folder)));
    expect(all.filter((became) => became !== 'placed' && became !== 'kept')).toEqual([]);
    expect(await readdir(join(folder, 'media'))).toEqual(['a.mp3']);
  });

  it('says what the store has lost or no longer has as it was', async () => {
    const path = store.pathOf(placed.file.key) ?? '';
    await link(path, `${path}.kept`);
    await rm(path);
    expect(await placeFile(placed, store, folder)).toBe('missing');
    await writeFile(path, 'other');
    expect(await placeFile(placed, store, folder)).toBe('altered');
  });
});
