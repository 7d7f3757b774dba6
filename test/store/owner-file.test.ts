import { expect, it } from '@jest/globals';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreUnwritable } from '../../store/errors.ts';
import { claimFolder } from '../../store/owner-file.ts';
import { folderForEach } from '../support/fresh-folder.ts';

/** The longest path that the system takes, and the zero byte at its end. */
const PATH_MAX = process.platform === 'darwin' ? 1024 : 4096;

const folder = folderForEach();

it('claims a folder once, and says whose it is', async () => {
  for (const who of ['one', 'one', 'two']) expect(await claimFolder(folder(), who)).toBe('one');
  expect(await readdir(folder())).toEqual(['.ledger']);
});

it('refuses its own folder if no file can be made in it any more', async () => {
  // Permissions would not keep root from it. In a path of this length there is room for `.ledger`, and for no longer name.
  const room = '/.ledger'.length + 1;
  let path = folder();
  while (path.length < PATH_MAX - room) path += `/${'x'.repeat(Math.min(200, PATH_MAX - room - path.length - 1))}`;
  await mkdir(path, { recursive: true });
  await writeFile(join(path, '.ledger'), 'one');
  await expect(claimFolder(path, 'one')).rejects.toThrow(StoreUnwritable);
  expect(await claimFolder(path, 'other')).toBe('one');
});
