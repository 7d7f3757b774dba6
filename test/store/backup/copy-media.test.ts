import { describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { copyMedia } from '../../../store/backup/copy-media.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { folderForEach } from '../../support/fresh-folder.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

const inFolder = folderForEach();

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  chmodSync(path, 0o444);
}

/** A store with two results, its marks, and a part of a third. */
function fillStore(): string {
  const store = inFolder('store');
  put(inFolder('store', '.ledger'), 'id');
  put(inFolder('store', 'b-1', '0000', '1-speech-1.mp3'), 'one');
  put(inFolder('store', 'b-1', '0000', '2-speech-1.mp3'), 'three');
  put(inFolder('store', '.parts', 'x.part'), 'half');
  return store;
}

describe('media that are copied', () => {
  it('are all there, each once more as it is, and a second time only what is new', async () => {
    const [store, copy] = [fillStore(), inFolder('copy')];
    expect(await copyMedia(store, copy, { replaces: true })).toEqual({ files: 2, bytes: 8, newFiles: 2, newBytes: 8 });
    expect(readFileSync(inFolder('copy', 'b-1', '0000', '2-speech-1.mp3'), 'utf8')).toBe('three');
    expect(readFileSync(inFolder('copy', '.ledger'), 'utf8')).toBe('id');
    expect(readdirSync(inFolder('copy', '.parts'))).toEqual([]);
    // On one file system, no second content.
    const inodes = ['store', 'copy'].map((name) => statSync(inFolder(name, 'b-1', '0000', '1-speech-1.mp3')).ino);
    expect(inodes[0]).toBe(inodes[1]);

    put(inFolder('store', 'b-2', '0000', '1-speech-1.mp3'), 'more');
    expect(await copyMedia(store, copy, { replaces: true })).toEqual({ files: 3, bytes: 12, newFiles: 1, newBytes: 4 });
  });

  it('replace others of their names in a backup, and nothing in a store', async () => {
    const [store, copy] = [fillStore(), inFolder('copy')];
    const place = inFolder('copy', 'b-1', '0000', '1-speech-1.mp3');
    put(place, 'former');
    expect(await copyMedia(store, copy, { replaces: false })).toMatchObject({ files: 2, newFiles: 1 });
    expect(readFileSync(place, 'utf8')).toBe('former');
    expect(await copyMedia(store, copy, { replaces: true })).toMatchObject({ files: 2, newFiles: 1 });
    expect(readFileSync(place, 'utf8')).toBe('one');
  });

  it('take an equal length and time for the same file, where there is no second name', async () => {
    const [store, copy] = [fillStore(), inFolder('copy')];
    const place = inFolder('copy', 'b-1', '0000', '1-speech-1.mp3');
    put(place, 'ONE');
    const { atime, mtime } = statSync(inFolder('store', 'b-1', '0000', '1-speech-1.mp3'));
    utimesSync(place, atime, mtime);
    expect(await copyMedia(store, copy, { replaces: true })).toMatchObject({ newFiles: 1 });
    expect(readFileSync(place, 'utf8')).toBe('ONE');
  });

  it('are none where there is no store', async () => {
    expect(await copyMedia(inFolder('none'), inFolder('copy'), { replaces: true })).toMatchObject({ files: 0 });
  });

  it('go to another disk, and say so when it is full, with no half file left', async () => {
    const store = fillStore();
    const disk = await mountSmallDisk(inFolder('disk'), 64 * 1024);
    // Who may not mount copies beside, which shows the same but for the full disk.
    const copy = disk === undefined ? inFolder('other') : inFolder('disk', 'copy');
    if (disk !== undefined) endAfterTest(() => disk.close());
    expect(await copyMedia(store, copy, { replaces: true })).toMatchObject({ newFiles: 2 });
    expect(await copyMedia(store, copy, { replaces: true })).toMatchObject({ files: 2, newFiles: 0 });
    if (disk === undefined) return;
    put(inFolder('store', 'b-1', '0000', '3-speech-1.mp3'), 'x'.repeat(128 * 1024));
    await expect(copyMedia(store, copy, { replaces: true })).rejects.toMatchObject({
      ...{ name: 'StoreUnwritable', isDiskFull: true },
      message: expect.stringContaining('The disk is full: free some space'),
    });
    expect(existsSync(inFolder('disk', 'copy', 'b-1', '0000', '3-speech-1.mp3'))).toBe(false);
    expect(readdirSync(inFolder('disk', 'copy', '.parts'))).toEqual([]);
  });
});
