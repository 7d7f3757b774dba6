import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { placeFile, placeFiles } from '../../results/media.ts';
import { LinkedFolder, RealFolders } from '../../results/real-folders.ts';
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

/** As for a writing of its own. */
const folders = (): RealFolders => new RealFolders(folder);

describe('placing a result', () => {
  it('links it, makes its folder where there is none, and keeps it the next time', async () => {
    expect(await placeFile(placed, store, folders())).toBe('placed');
    expect(await placeFile(placed, store, folders())).toBe('kept');
    expect((await stat(join(folder, placed.name))).nlink).toBe(2);
  });

  it('puts it in the place of anything else under its name', async () => {
    const target = join(folder, placed.name);
    await mkdir(dirname(target));
    await writeFile(target, 'something else');
    expect(await placeFile(placed, store, folders())).toBe('placed');
    expect(await readFile(target, 'utf8')).toBe('a sound');
  });

  it('leaves one file where several place it at once, and no parts', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => placeFile(placed, store, folders())));
    expect(all.filter((became) => became !== 'placed' && became !== 'kept')).toEqual([]);
    expect(await readdir(join(folder, 'media'))).toEqual(['a.mp3']);
  });

  it('says what the store has lost or no longer has as it was', async () => {
    const path = store.pathOf(placed.file.key) ?? '';
    await link(path, `${path}.kept`);
    await rm(path);
    expect(await placeFile(placed, store, folders())).toBe('missing');
    await writeFile(path, 'other');
    expect(await placeFile(placed, store, folders())).toBe('altered');
  });
});

describe('placing a result in a folder that somebody else has made', () => {
  /** A file of the user under the same name, in a folder to which `link` leads. */
  const plant = async (link: string): Promise<string> => {
    const victim = join(folder, 'victim');
    await mkdir(victim);
    await writeFile(join(victim, 'a.mp3'), 'mine');
    await mkdir(dirname(join(folder, link)), { recursive: true });
    await symlink(victim, join(folder, link));
    return join(victim, 'a.mp3');
  };

  it.each([
    ['media', 'media/a.mp3'],
    ['media/v', 'media/v/a.mp3'],
    ['media/deep/v', 'media/deep/v/a.mp3'],
  ])('writes nothing behind the symbolic link %s', async (link, name) => {
    const file = await plant(link);
    const linked = { ...placed, name };
    for (const from of [store, new FolderOfMedia(store.folder, false)]) {
      await expect(placeFiles([linked], from, folders())).rejects.toThrow(new LinkedFolder(join(folder, link)));
      await expect(placeFile(linked, from, folders())).rejects.toThrow(LinkedFolder);
    }
    expect(await readFile(file, 'utf8')).toBe('mine');
    expect(await readdir(dirname(file))).toEqual(['a.mp3']);
  });

  it('replaces a link under the name itself, not what it leads to', async () => {
    const victim = join(folder, 'mine.mp3');
    await writeFile(victim, 'mine');
    await mkdir(join(folder, 'media'));
    await symlink(victim, join(folder, placed.name));
    expect(await placeFiles([placed], store, folders())).toEqual(['placed']);
    expect(await readFile(victim, 'utf8')).toBe('mine');
    expect(await readFile(join(folder, placed.name), 'utf8')).toBe('a sound');
  });

  it('takes a symbolic link in the store for no file: its further name would lead to where it does', async () => {
    const victim = join(folder, 'mine.mp3');
    await writeFile(victim, 'a sound');
    const path = store.pathOf(placed.file.key) ?? '';
    await rm(path);
    await symlink(victim, path);
    expect(await placeFiles([placed], store, folders())).toEqual(['altered']);
  });
});

describe('a result that the store has lost', () => {
  it('is kept where it was placed before, as long as its content is right', async () => {
    await placeFile(placed, store, folders());
    await rm(store.pathOf(placed.file.key) ?? '');
    expect(await placeFile(placed, store, folders())).toBe('kept');
    expect(await placeFiles([placed], store, folders())).toEqual(['kept']);
    const target = join(folder, placed.name);
    await rm(target);
    await writeFile(target, 'a noise');
    expect(await placeFile(placed, store, folders())).toBe('missing');
    await writeFile(target, 'a sound');
    await writeFile(store.pathOf(placed.file.key) ?? '', 'cut');
    expect(await placeFile(placed, store, folders())).toBe('kept');
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
    expect(await placeFiles(all, store, folders())).toEqual(['placed', 'placed', 'missing', 'altered']);
    expect(await placeFiles(all, store, folders())).toEqual(['kept', 'kept', 'missing', 'altered']);
    expect(await readdir(join(folder, 'media'))).toEqual(['1.mp3', '2.mp3']);
    expect(await readFile(join(folder, taken.name), 'utf8')).toBe('the sound 2');
  });

  it('copies them from a store that has no paths here', async () => {
    const remote = new FolderOfMedia(store.folder, false);
    expect(await placeFiles([placed], remote, folders())).toEqual(['placed']);
    expect((await stat(join(folder, placed.name))).nlink).toBe(1);
  });
});
