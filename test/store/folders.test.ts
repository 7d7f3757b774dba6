import { describe, expect, it } from '@jest/globals';
import { readdir, rm } from 'node:fs/promises';
import { Folders } from '../../store/folders.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const root = folderForEach();

describe('Folders', () => {
  it('shares one sync among all who ask while another runs', async () => {
    const folders = new Folders();
    const first = folders.sync(root());
    const [second, third] = [folders.sync(root()), folders.sync(root())];
    // One that began before a rename says nothing of it.
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    await Promise.all([first, second]);
    expect(folders.sync(root())).not.toBe(second);
  });

  it('goes on after a sync that failed', async () => {
    const folders = new Folders();
    const folder = root('a');
    const [first, second] = [folders.sync(folder), folders.sync(folder)];
    await expect(first).rejects.toThrow('ENOENT');
    await expect(second).rejects.toThrow('ENOENT');
    await folders.make(folder);
    await folders.sync(folder);
  });

  it('remembers a bounded number of folders', async () => {
    const folders = new Folders(3);
    for (const name of ['a', 'b', 'c', 'd']) await folders.make(root(name));
    await rm(root(), { recursive: true });
    for (const name of ['d', 'a']) await folders.make(root(name));
    // The last one was known, the first forgotten, and so made again.
    expect(await readdir(root())).toEqual(['a']);
  });
});
