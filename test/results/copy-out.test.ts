import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { copyOut } from '../../results/copy-out.ts';
import { checkStored } from '../../results/files.ts';
import type { RecordedFile } from '../../results/files.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const BYTES = 'the paid bytes';
const sha256 = createHash('sha256').update(BYTES).digest('hex');
const FILE: RecordedFile = { key: 'a.mp3', sha256 };

const path = folderForEach();
const store = {
  read: async (key: string) => {
    await stat(path(key));
    return createReadStream(path(key));
  },
};
const copy = (name: string, replace = false): ReturnType<typeof copyOut> =>
  copyOut(FILE, store, path(name), { replace });

beforeEach(() => writeFile(path('a.mp3'), BYTES));

describe('a copy for the user', () => {
  it('is whole, no link to the store, and kept where it is already', async () => {
    expect(await copy('mine.mp3')).toBe('written');
    expect(await readFile(path('mine.mp3'), 'utf8')).toBe(BYTES);
    expect((await stat(path('mine.mp3'))).nlink).toBe(1);
    expect(await copy('mine.mp3')).toBe('kept');
    expect(await readdir(path())).toEqual(['a.mp3', 'mine.mp3']);
  });

  it('overwrites another file only if it is asked to', async () => {
    await writeFile(path('mine.mp3'), 'precious');
    expect(await copy('mine.mp3')).toBe('other');
    expect(await readFile(path('mine.mp3'), 'utf8')).toBe('precious');
    expect(await copy('mine.mp3', true)).toBe('written');
    expect(await readFile(path('mine.mp3'), 'utf8')).toBe(BYTES);
    expect(await readdir(path())).toEqual(['a.mp3', 'mine.mp3']);
  });

  it.each([
    ['the same content', BYTES, 'kept'],
    ['other content', 'precious', 'other'],
  ])('leaves a file with %s that came there while it was made', async (_, content, became) => {
    const raced = {
      read: async (key: string) => {
        await writeFile(path('mine.mp3'), content);
        return store.read(key);
      },
    };
    expect(await copyOut(FILE, raced, path('mine.mp3'), { replace: false })).toBe(became);
    expect(await readFile(path('mine.mp3'), 'utf8')).toBe(content);
    expect(await readdir(path())).toEqual(['a.mp3', 'mine.mp3']);
  });

  it('writes the file behind a symbolic link', async () => {
    await writeFile(path('real.mp3'), 'old');
    await symlink('real.mp3', path('mine.mp3'));
    expect(await copy('mine.mp3', true)).toBe('written');
    expect(await readlink(path('mine.mp3'))).toBe('real.mp3');
    expect(await readFile(path('real.mp3'), 'utf8')).toBe(BYTES);
  });

  it.each(['missing', 'altered'] as const)('is not made of a stored file that is %s', async (is) => {
    if (is === 'missing') await rm(path('a.mp3'));
    else await writeFile(path('a.mp3'), 'other bytes');
    expect(await checkStored(FILE, store)).toBe(is);
    const left = await readdir(path());
    expect(await copy('mine.mp3', true)).toBe(is);
    expect(await copyOut(FILE, store, '/dev/null', { replace: false })).toBe(is);
    expect(await readdir(path())).toEqual(left);
  });

  it('goes to a device as it is', async () => {
    expect(await copyOut(FILE, store, '/dev/null', { replace: false })).toBe('written');
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });

  it('fails where its folder does not exist, and leaves nothing', async () => {
    await expect(copy('no/mine.mp3')).rejects.toThrow(/ENOENT/);
    await mkdir(path('no'));
    expect(await readdir(path('no'))).toEqual([]);
  });
});
