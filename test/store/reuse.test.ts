import { beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { UnsafeName } from '../../store/errors.ts';
import type { Store, StoredFile } from '../../store/store.ts';
import { folderForEach } from '../support/fresh-folder.ts';
import { mp3 } from './media.ts';
import { storeIn } from './store-in.ts';

const folder = folderForEach();
let store: Store;
let file: StoredFile;
beforeEach(async () => {
  store = storeIn(folder());
  file = await store.write('one/1-speech-1', mp3(), { family: 'audio' });
});

describe('a stored file that is kept a second time', () => {
  it('uses no space, and outlives the first', async () => {
    expect(await store.reuse(file, 'two/7-speech-1-cached')).toEqual({
      type: 'reused',
      file: { ...file, key: 'two/7-speech-1-cached.mp3' },
    });
    const [first, second] = [folder(file.key), folder('two/7-speech-1-cached.mp3')];
    expect((await stat(second)).ino).toBe((await stat(first)).ino);
    await rm(first);
    expect(await readFile(second)).toEqual(mp3());
  });

  it('may be kept again under the same name: nothing is left over', async () => {
    for (let times = 0; times < 2; times++) expect(await store.reuse(file, 'two/7')).toMatchObject({ type: 'reused' });
    expect(await readdir(folder('.parts'))).toEqual([]);
    expect(await readdir(folder('two'))).toEqual(['7.mp3']);
  });

  it.each([
    ['altered', (path: string) => writeFile(path, 'something else')],
    ['altered', (path: string) => truncate(path, 20)],
    ['altered', (path: string) => rm(path).then(() => mkdir(path))],
    ['missing', (path: string) => rm(path)],
    ['missing', (path: string) => rm(path).then(() => symlink('nowhere.mp3', path))],
  ] as const)('is %s: nothing is kept', async (type, damage) => {
    const path = folder(file.key);
    await chmod(path, 0o644);
    await damage(path);
    expect(await store.reuse(file, 'two/7')).toEqual({ type });
    expect(await readdir(folder('.parts'))).toEqual([]);
    await expect(stat(folder('two/7.mp3'))).rejects.toThrow('ENOENT');
  });

  it('is the file itself where its name is a symbolic link', async () => {
    const path = folder(file.key);
    await rename(path, folder('moved.mp3'));
    await symlink('../moved.mp3', path);
    expect(await store.reuse(file, 'two/7')).toMatchObject({ type: 'reused' });
    expect((await stat(folder('moved.mp3'))).nlink).toBe(2);
    await rm(path);
    expect(await readFile(folder('two/7.mp3'))).toEqual(mp3());
  });

  it('lies in the store, and so does its copy', async () => {
    await expect(store.reuse(file, '../7')).rejects.toThrow(UnsafeName);
    await expect(store.reuse({ ...file, key: '../../etc/hostname' }, 'two/7')).rejects.toThrow(UnsafeName);
  });
});
