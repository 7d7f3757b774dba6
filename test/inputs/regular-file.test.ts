import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { NotRegular, readRegular } from '../../inputs/regular-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-regular-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('reads a file, also behind a link', async () => {
  await writeFile(join(folder, 'a.json'), '{}');
  await symlink('a.json', join(folder, 'b.json'));
  expect(await readRegular(join(folder, 'a.json'))).toBe('{}');
  expect(await readRegular(join(folder, 'b.json'))).toBe('{}');
});

it('refuses a pipe, a folder and a device at once, and says of a missing file that it is missing', async () => {
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  for (const path of [join(folder, 'pipe'), folder, '/dev/zero'])
    await expect(readRegular(path)).rejects.toThrow(NotRegular);
  await expect(readRegular(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
});
