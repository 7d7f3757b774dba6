import { describe, expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
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

const NAMED = ['one', 'three'].map((content, index) => ({
  key: `b-1/0000/${String(index + 1)}-speech-1.mp3`,
  bytes: content.length,
  sha256: hash('sha256', content),
}));
const records = () => NAMED;
const BACKUP = { prefers: 'source', records } as const;
const RESTORE = { prefers: 'target', records } as const;

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
    expect(await copyMedia(store, copy, BACKUP)).toEqual({ files: 2, bytes: 8, newFiles: 2, newBytes: 8, damaged: [] });
    expect(readFileSync(inFolder('copy', 'b-1', '0000', '2-speech-1.mp3'), 'utf8')).toBe('three');
    expect(readFileSync(inFolder('copy', '.ledger'), 'utf8')).toBe('id');
    expect(readdirSync(inFolder('copy', '.parts'))).toEqual([]);
    // What writes into one in place leaves the other whole.
    const inodes = ['store', 'copy'].map((name) => statSync(inFolder(name, 'b-1', '0000', '1-speech-1.mp3')).ino);
    expect(inodes[0]).not.toBe(inodes[1]);

    put(inFolder('store', 'b-2', '0000', '1-speech-1.mp3'), 'more');
    expect(await copyMedia(store, copy, BACKUP)).toEqual({
      files: 3,
      bytes: 12,
      newFiles: 1,
      newBytes: 4,
      damaged: [],
    });
  });

  it('take the place of others that are not as recorded, and damaged ones of none', async () => {
    const [store, copy] = [fillStore(), inFolder('copy')];
    const [here, there] = [store, copy].map((folder) => join(folder, 'b-1', '0000', '1-speech-1.mp3')) as [
      string,
      string,
    ];
    const shown = (): readonly string[] => [here, there].map((path) => readFileSync(path, 'utf8'));
    put(there, '');
    expect(await copyMedia(store, copy, RESTORE)).toMatchObject({ files: 2, bytes: 8, newFiles: 2, damaged: [] });
    expect(shown()).toEqual(['one', 'one']);
    rmSync(here);
    put(here, 'damage');
    expect(await copyMedia(store, copy, BACKUP)).toMatchObject({ files: 2, newFiles: 0, damaged: [NAMED[0]?.key] });
    expect(shown()).toEqual(['damage', 'one']);
    expect(await copyMedia(copy, store, RESTORE)).toMatchObject({ files: 2, newFiles: 1, damaged: [] });
    expect(shown()).toEqual(['one', 'one']);
    // Neither is whole.
    for (const path of [here, there]) rmSync(path);
    put(here, 'ona');
    put(there, 'on');
    expect(await copyMedia(store, copy, RESTORE)).toMatchObject({ newFiles: 0, damaged: [NAMED[0]?.key] });
    expect(shown()).toEqual(['ona', 'on']);
  });

  it('stay where no record names them', async () => {
    const [store, copy] = [fillStore(), inFolder('copy')];
    put(inFolder('copy', 'b-1', '0000', '1-speech-1.mp3'), 'former');
    const unnamed = { records: () => [] };
    for (const options of [BACKUP, RESTORE])
      expect(await copyMedia(store, copy, { ...options, ...unnamed })).toMatchObject({ files: 2, damaged: [] });
    expect(readFileSync(inFolder('copy', 'b-1', '0000', '1-speech-1.mp3'), 'utf8')).toBe('former');
  });

  it('take an equal length and time for the same file, where there is no second name', async () => {
    const [store, copy] = [fillStore(), inFolder('copy')];
    const place = inFolder('copy', 'b-1', '0000', '1-speech-1.mp3');
    put(place, 'ONE');
    const { atime, mtime } = statSync(inFolder('store', 'b-1', '0000', '1-speech-1.mp3'));
    utimesSync(place, atime, mtime);
    expect(await copyMedia(store, copy, BACKUP)).toMatchObject({ newFiles: 1 });
    expect(readFileSync(place, 'utf8')).toBe('ONE');
  });

  it('are none where there is no store', async () => {
    expect(await copyMedia(inFolder('none'), inFolder('copy'), BACKUP)).toMatchObject({ files: 0 });
  });

  it('go to another disk, and say so when it is full, with no half file left', async () => {
    const store = fillStore();
    const disk = await mountSmallDisk(inFolder('disk'), 64 * 1024);
    // Who may not mount copies beside, which shows the same but for the full disk.
    const copy = disk === undefined ? inFolder('other') : inFolder('disk', 'copy');
    if (disk !== undefined) endAfterTest(() => disk.close());
    expect(await copyMedia(store, copy, BACKUP)).toMatchObject({ newFiles: 2 });
    expect(await copyMedia(store, copy, BACKUP)).toMatchObject({ files: 2, newFiles: 0 });
    if (disk === undefined) return;
    put(inFolder('store', 'b-1', '0000', '3-speech-1.mp3'), 'x'.repeat(128 * 1024));
    await expect(copyMedia(store, copy, BACKUP)).rejects.toMatchObject({
      ...{ name: 'StoreUnwritable', isDiskFull: true },
      message: expect.stringContaining('The disk is full: free some space'),
    });
    expect(existsSync(inFolder('disk', 'copy', 'b-1', '0000', '3-speech-1.mp3'))).toBe(false);
    expect(readdirSync(inFolder('disk', 'copy', '.parts'))).toEqual([]);
  });
});
