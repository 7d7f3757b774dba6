import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { placeFile, placeFiles } from '../../results/media.ts';
import type { RowFile } from '../../results/result-line.ts';
import { FolderOfMedia } from '../support/place.ts';

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

describe('a result that the store has lost', () => {
  it('is kept where it was placed before, as long as its content is right', async () => {
    await placeFile(placed, store, folder);
    await rm(store.pathOf(placed.file.key) ?? '');
    expect(await placeFile(placed, store, folder)).toBe('kept');
    expect(await placeFiles([placed], store, folder)).toEqual(['kept']);
    const target = join(folder, placed.name);
    await rm(target);
    await writeFile(target, 'a noise');
    expect(await placeFile(placed, store, folder)).toBe('missing');
    await writeFile(target, 'a sound');
    await writeFile(store.pathOf(placed.file.key) ?? '', 'cut');
    expect(await placeFile(placed, store, folder)).toBe('kept');
  });
});

describe('placing several results', () => {
  it('places each as it would be by itself, whatever is in the way of the others', async () => {
    const named = async (name: string): Promise<RowFile> => ({
      name: `media/${name}.mp3`,
      file: await store.put(`b/${name}.mp3`, `the sound ${name}`),
    });
    const [free, taken, lost, altered] = [await named('1'), await named('2'), await named('3'), await named('4')];
    await mkdir(join(folder, 'media'));
    await writeFile(join(folder, taken.name), 'something else');
    await rm(store.pathOf(lost.file.key) ?? '');
    await writeFile(store.pathOf(altered.file.key) ?? '', 'other');
    const all = [free, taken, lost, altered];
    expect(await placeFiles(all, store, folder)).toEqual(['placed', 'placed', 'missing', 'altered']);
    expect(await placeFiles(all, store, folder)).toEqual(['kept', 'kept', 'missing', 'altered']);
    expect(await readdir(join(folder, 'media'))).toEqual(['1.mp3', '2.mp3']);
    expect(await readFile(join(folder, taken.name), 'utf8')).toBe('the sound 2');
  });

  it('copies them from a store that has no paths here', async () => {
    const remote = new FolderOfMedia(store.folder, false);
    expect(await placeFiles([placed], remote, folder)).toEqual(['placed']);
    expect((await stat(join(folder, placed.name))).nlink).toBe(1);
  });
});
