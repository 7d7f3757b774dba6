import { expect, it } from '@jest/globals';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { removeFormer } from '../../results/sound/sound-lists.ts';
import { LinkedFolder } from '../../results/errors.ts';
import { RealFolders } from '../../results/real-folders.ts';
import { sha256Of } from '../../inputs/regular-file.ts';
import { lstatsOf } from '../../results/files.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const out = folderForEach();

it('lets folders pass that are real or not there yet, and the out folder whatever it is', async () => {
  await mkdir(out('real/media'), { recursive: true });
  await symlink(out('real'), out('linked'));
  await new RealFolders(out('linked')).require(['media/a.mp3', 'media/b/c/d.mp3', 'results.csv']);
});

it('names the first link on the way', async () => {
  await mkdir(out('media/a'), { recursive: true });
  await symlink(tmpdir(), out('media/a/b'));
  const folders = new RealFolders(out());
  await expect(folders.require(['media/x.mp3', 'media/a/b/c/x.mp3'])).rejects.toThrow(
    new LinkedFolder(out('media/a/b')),
  );
  expect(await folders.leadTo('media/a/x.mp3')).toBe(true);
  expect(await folders.leadTo('media/a/b/x.mp3')).toBe(false);
});

it('looks at each folder once a writing: there may be a million files in it', async () => {
  await mkdir(out('media'));
  const folders = new RealFolders(out());
  await folders.require(['media/a.mp3']);
  await rm(out('media'), { recursive: true });
  await symlink(tmpdir(), out('media'));
  await folders.require(['media/b.mp3']);
  await expect(new RealFolders(out()).require(['media/b.mp3'])).rejects.toThrow(LinkedFolder);
});

it('removes no file behind a link that a list of somebody else names', async () => {
  await mkdir(out('victim'));
  await mkdir(out('media'));
  const mine = out('victim/a.wav');
  await writeFile(mine, 'mine');
  await symlink(out('victim'), out('media/joined'));
  const listed = { file: 'media/joined/a.wav', sha256: await sha256Of(mine) };
  await removeFormer([listed], [], new RealFolders(out()));
  expect(await lstatsOf(mine)).toBeDefined();
});
