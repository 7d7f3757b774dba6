import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreUnwritable } from '../../store/errors.ts';
import { claimFolder } from '../../store/owner-file.ts';

/** The longest path that the system takes, and the zero byte at its end. */
const PATH_MAX = process.platform === 'darwin' ? 1024 : 4096;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-owner-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('claims a folder once, and says whose it is', async () => {
  const owners = [await claimFolder(folder, 'one'), await claimFolder(folder, 'one'), await claimFolder(folder, 'two')];
  expect(owners).toEqual(['one', 'one', 'one']);
  expect(await readdir(folder)).toEqual(['.ledger']);
});

it('refuses its own folder if no file can be made in it any more', async () => {
  // Permissions would not keep root from it. In a path of this length there is room for `.ledger`, and for no longer name.
  const room = '/.ledger'.length + 1;
  let path = folder;
  while (path.length < PATH_MAX - room) path += `/${'x'.repeat(Math.min(200, PATH_MAX - room - path.length - 1))}`;
  await mkdir(path, { recursive: true });
  await writeFile(join(path, '.ledger'), 'one');
  await expect(claimFolder(path, 'one')).rejects.toThrow(StoreUnwritable);
  expect(await claimFolder(path, 'other')).toBe('one');
});
