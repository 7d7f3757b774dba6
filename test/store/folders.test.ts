import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Folders } from '../../store/folders.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'voxbatch-folders-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('Folders', () => {
  it('shares one sync among all who ask while another runs', async () => {
    const folders = new Folders();
    const first = folders.sync(root);
    const [second, third] = [folders.sync(root), folders.sync(root)];
    // One that began before a rename says nothing of it.
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    await Promise.all([first, second]);
    expect(folders.sync(root)).not.toBe(second);
  });

  it('goes on after a sync that failed', async () => {
    const folders = new Folders();
    const folder = join(root, 'a');
    const [first, second] = [folders.sync(folder), folders.sync(folder)];
    await expect(first).rejects.toThrow('ENOENT');
    await expect(second).rejects.toThrow('ENOENT');
    await folders.make(folder);
    await folders.sync(folder);
  });

  it('remembers a bounded number of folders', async () => {
    const folders = new Folders(3);
    for (const name of ['a', 'b', 'c', 'd']) await folders.make(join(root, name));
    await rm(root, { recursive: true });
    for (const name of ['d', 'a']) await folders.make(join(root, name));
    // The last one was known, the first forgotten, and so made again.
    expect(await readdir(root)).toEqual(['a']);
  });
});
