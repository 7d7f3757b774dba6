import { execFileSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { NotRegular, readRegular } from '../../inputs/regular-file.ts';
import { inspectSample } from '../../inputs/voices/inspect-sample.ts';
import { openLocalFile } from '../../store/local-file.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const folder = folderForEach();

it('reads a file, also behind a link', async () => {
  await writeFile(folder('a.json'), '{}');
  await symlink('a.json', folder('b.json'));
  for (const name of ['a.json', 'b.json']) expect(await readRegular(folder(name))).toBe('{}');
});

it('refuses a pipe, a folder and a device at once, and says of a missing file that it is missing', async () => {
  execFileSync('mkfifo', [folder('pipe')]);
  for (const path of [folder('pipe'), folder(), '/dev/zero'])
    await expect(readRegular(path)).rejects.toThrow(NotRegular);
  await expect(readRegular(folder('none'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('a pipe is no sample, and nobody waits for somebody to write to it', async () => {
  const path = folder('pipe.wav');
  execFileSync('mkfifo', [path]);
  expect(await inspectSample(path, 1_000)).toEqual({ why: 'something that is no file' });
  await expect(openLocalFile({ path, bytes: 10, sha256: '' })).rejects.toThrow('is no file any more');
});
