import { beforeEach, describe, expect, it } from '@jest/globals';
import { link, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { placeFile } from '../../results/place-file.ts';
import { LinkedFolder, NotAFile } from '../../results/errors.ts';
import { RealFolders } from '../../results/real-folders.ts';
import type { RowFile } from '../../results/result-line.ts';
import { folderForEach } from '../support/fresh-folder.ts';
import { FolderOfMedia } from '../support/place.ts';

const folder = folderForEach();
let store: FolderOfMedia;
let placed: RowFile;

beforeEach(async () => {
  store = new FolderOfMedia(folder('store'));
  placed = { name: 'media/a.mp3', file: await store.put('b/1-speech-1.mp3', 'a sound') };
});

/** As for a writing of its own. */
const folders = (): RealFolders => new RealFolders(folder());

describe('placing a result', () => {
  it('links it, makes its folder where there is none, and keeps it the next time', async () => {
    expect(await placeFile(placed, store, folders())).toBe('placed');
    expect(await placeFile(placed, store, folders())).toBe('kept');
    expect((await stat(folder(placed.name))).nlink).toBe(2);
  });

  it('puts it in the place of anything else under its name', async () => {
    const target = folder(placed.name);
    await mkdir(dirname(target));
    await writeFile(target, 'something else');
    expect(await placeFile(placed, store, folders())).toBe('placed');
    expect(await readFile(target, 'utf8')).toBe('a sound');
  });

  it('leaves a folder under its name alone, and says so', async () => {
    await mkdir(folder(placed.name), { recursive: true });
    for (const from of [store, new FolderOfMedia(store.folder, false)])
      await expect(placeFile(placed, from, folders())).rejects.toThrow(new NotAFile(folder(placed.name)));
    expect(await readdir(folder('media'))).toEqual(['a.mp3']);
  });

  it('leaves one file where several place it at once, and no parts', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => placeFile(placed, store, folders())));
    expect(all.filter((became) => became !== 'placed' && became !== 'kept')).toEqual([]);
    expect(await readdir(folder('media'))).toEqual(['a.mp3']);
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
    const victim = folder('victim');
    await mkdir(victim);
    await writeFile(join(victim, 'a.mp3'), 'mine');
    await mkdir(dirname(folder(link)), { recursive: true });
    await symlink(victim, folder(link));
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
      await expect(placeFile(linked, from, folders())).rejects.toThrow(new LinkedFolder(folder(link)));
    }
    expect(await readFile(file, 'utf8')).toBe('mine');
    expect(await readdir(dirname(file))).toEqual(['a.mp3']);
  });

  it('replaces a link under the name itself, not what it leads to', async () => {
    const victim = folder('mine.mp3');
    await writeFile(victim, 'mine');
    await mkdir(folder('media'));
    await symlink(victim, folder(placed.name));
    expect(await placeFile(placed, store, folders())).toBe('placed');
    expect(await readFile(victim, 'utf8')).toBe('mine');
    expect(await readFile(folder(placed.name), 'utf8')).toBe('a sound');
  });

  it('takes a symbolic link in the store for no file: its further name would lead to where it does', async () => {
    const victim = folder('mine.mp3');
    await writeFile(victim, 'a sound');
    const path = store.pathOf(placed.file.key) ?? '';
    await rm(path);
    await symlink(victim, path);
    expect(await placeFile(placed, store, folders())).toBe('altered');
  });
});

it('a result that the store has lost is kept where it was placed before, as long as its content is right', async () => {
  await placeFile(placed, store, folders());
  await rm(store.pathOf(placed.file.key) ?? '');
  expect(await placeFile(placed, store, folders())).toBe('kept');
  const target = folder(placed.name);
  await rm(target);
  await writeFile(target, 'a noise');
  expect(await placeFile(placed, store, folders())).toBe('missing');
  await writeFile(target, 'a sound');
  await writeFile(store.pathOf(placed.file.key) ?? '', 'cut');
  expect(await placeFile(placed, store, folders())).toBe('kept');
});

it('a result of another machine is copied where the store has no paths here', async () => {
  const remote = new FolderOfMedia(store.folder, false);
  expect(await placeFile(placed, remote, folders())).toBe('placed');
  expect((await stat(folder(placed.name))).nlink).toBe(1);
});
