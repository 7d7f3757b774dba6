/** @slow */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { StoreUnwritable } from '../../store/errors.ts';
import { doMediaJob } from '../../store/media-work.ts';
import type { Store } from '../../store/store.ts';
import { compiledOf } from '../compiled.mjs';
import { folderForEach } from '../support/fresh-folder.ts';
import { box, hangingMkv, mp3, mp4, silentMp3, standingMp4, wav } from './media.ts';
import { storeIn } from './store-in.ts';
import { UnfitBody } from '../../store/unfit.ts';

/** The same store as in `folder-store.test.ts`, with its work in threads. */

const AUDIO = { family: 'audio' } as const;
const ENTRY = pathToFileURL(compiledOf('store/media-thread.ts'));

const folder = folderForEach();
let store: Store;
beforeEach(() => {
  store = storeIn(folder(), { threads: 2, threadEntry: ENTRY });
});
const largeMp4 = async (): Promise<Buffer> => Buffer.concat([await mp4(), box('free', Buffer.alloc(3_000_000, 1))]);

describe('a store whose work is done in threads', () => {
  it('keeps small and large bodies, and finds them again', async () => {
    const large = await largeMp4();
    const bodies = { 'b/1': mp3(), 'b/2': wav(), 'b/3': large, 'b/4': silentMp3() };
    const stored = await Promise.all(
      Object.entries(bodies).map(([stem, body]) => store.write(stem, Readable.from([body]), AUDIO)),
    );
    expect(stored.map(({ key, unfit }) => [key, unfit])).toEqual([
      ['b/1.mp3', undefined],
      ['b/2.wav', undefined],
      ['b/3.mp4', undefined],
      ['b/4.mp3', 'silent'],
    ]);
    expect(await Promise.all(Object.keys(bodies).map((stem) => store.find(stem, AUDIO)))).toEqual(stored);
    expect(await readdir(folder('b'))).toHaveLength(4);
  });

  it('keeps files a second time there, large and small, and says which are damaged', async () => {
    const large = await largeMp4();
    for (const [stem, body] of Object.entries({ 'b/1': mp3(), 'b/2': large })) {
      const file = await store.write(stem, Readable.from([body]), AUDIO);
      const copy = await store.reuse(file, `${stem}-cached`);
      expect(copy).toEqual({ type: 'reused', file: { ...file, key: `${stem}-cached.${file.extension}` } });
      expect(await store.reuse({ ...file, sha256: '0'.repeat(64) }, 'b/x')).toEqual({ type: 'altered' });
      await rm(folder(file.key));
      expect(await store.reuse(file, 'b/x')).toEqual({ type: 'missing' });
    }
    expect((await readdir(folder('b'))).toSorted()).toEqual(['1-cached.mp3', '2-cached.mp4']);
  });

  it('does not begin a store anew that is gone, and says so', async () => {
    await store.claim('me');
    await store.write('b/1', mp3(), AUDIO);
    await rename(folder(), `${folder()}-away`);
    const large = Readable.from([await largeMp4()]);
    for (const body of [mp3(), large]) {
      await expect(store.write('b/2', body, AUDIO)).rejects.toMatchObject({
        code: 'GONE',
        message: expect.stringContaining('(this store is not there any more)'),
      });
    }
    await rename(`${folder()}-away`, folder());
  });

  it('stores many at once, each whole, and leaves the bodies that it was given as they were', async () => {
    const bodies = Array.from({ length: 200 }, (_, at) => mp3(1 + (at % 20)));
    const stored = await Promise.all(bodies.map((body, at) => store.write(`b/${at}`, body, AUDIO)));
    expect(stored.map(({ bytes }) => bytes)).toEqual(bodies.map(({ length }) => length));
    expect(bodies[7]).toEqual(mp3(8));
    expect((await readdir(folder('b'))).sort()).toEqual(bodies.map((_, at) => `${at}.mp3`).sort());
  });

  it('keeps a file unread that hangs whoever reads it, and all others beside it as they are', async () => {
    const short = storeIn(folder(), { threadEntry: ENTRY, secondMs: 60 });
    const hanging = await hangingMkv();
    expect(hanging.length).toBeLessThan(20_000);
    const bodies = Array.from({ length: 101 }, (_, at) => (at === 50 ? hanging : mp3(1 + (at % 20))));
    const stored = await Promise.all(bodies.map((body, at) => short.write(`b/${at}`, body, AUDIO)));
    const [unread] = stored.splice(50, 1);
    expect(unread).toEqual({
      key: 'b/50.mkv',
      bytes: hanging.length,
      sha256: createHash('sha256').update(hanging).digest('hex'),
      extension: 'mkv',
      unfit: 'unreadable: could not be read in 30 s',
    });
    expect(stored.map(({ key, unfit }) => [key.split('.')[1], unfit])).toEqual(stored.map(() => ['mp3', undefined]));
    expect(await readdir(folder('b'))).toHaveLength(101);
    expect(await readdir(folder('.parts'))).toEqual([]);
    // As after a restart, when the file is there already.
    expect(await short.find('b/50', AUDIO)).toEqual(unread);
    expect(await short.write('b/later', mp3(), AUDIO)).toMatchObject({ key: 'b/later.mp3' });
  });

  it('measures files there, and gives up on one that hangs whoever reads it', async () => {
    const short = storeIn(folder(), { threadEntry: ENTRY, secondMs: 40 });
    const { key, bytes, extension } = await short.write('b/1', wav(2), AUDIO);
    const hanging = await hangingMkv();
    await writeFile(folder('b', 'hanging.mkv'), hanging);
    const files = [
      { key, bytes, extension },
      { key: 'b/hanging.mkv', bytes: hanging.length, extension: 'mkv' },
      { key: 'b/gone.wav', bytes, extension: 'wav' },
    ];
    expect(await Promise.all(files.map((file) => short.seconds(file)))).toEqual([2, undefined, undefined]);
  });

  it('keeps a large one unread, too, whose part has to be kept, and one beside it', async () => {
    const short = storeIn(folder(), { threads: 1, threadEntry: ENTRY, secondMs: 60 });
    const hanging = Buffer.concat([await hangingMkv(), Buffer.alloc(2_000_000)]);
    const whole = mp3(20_000);
    const [unread, good] = await Promise.all([
      short.write('b/1', Readable.from([hanging]), { family: 'video' }),
      short.write('b/2', Readable.from([whole]), AUDIO),
    ]);
    expect(unread).toMatchObject({ key: 'b/1.mkv', unfit: 'unreadable: could not be read in 32 s' });
    expect([good.key, good.unfit]).toEqual(['b/2.mp3', undefined]);
    expect((await readdir(folder('b'))).toSorted()).toEqual(['1.mkv', '2.mp3']);
  });

  it('finds the file of a part that has its name already, as after a thread that ended then', async () => {
    await store.write('b/1', mp3(), AUDIO);
    const again = { into: { root: folder() }, stem: 'b/1', expectation: AUDIO, from: folder('gone.part') };
    expect(await doMediaJob(again)).toMatchObject({ key: 'b/1.mp3' });
  });

  it('reads no box of no length for ever', async () => {
    await expect(store.write('b/1', standingMp4(), AUDIO)).rejects.toThrow('its box at byte 16 of 32 is broken');
  });

  it('tells errors by their classes, as without threads', async () => {
    await expect(store.write('b/1', wav().subarray(0, 500), AUDIO)).rejects.toThrow(UnfitBody);
    await writeFile(folder('c'), '');
    const unwritable = store.write('c/1', mp3(), AUDIO);
    await expect(unwritable).rejects.toThrow(StoreUnwritable);
    // By its system call the client of the API knows that the trouble is this machine's.
    await expect(unwritable).rejects.toMatchObject({ path: folder('c'), cause: { syscall: 'mkdir' } });
    await mkdir(folder('d', '1.mp3'), { recursive: true });
    await expect(store.write('d/1', mp3(), AUDIO)).rejects.toMatchObject({
      code: 'EISDIR',
      message: expect.stringContaining('cannot be written'),
    });
    expect(await readdir(folder('d'))).toEqual(['1.mp3']);
  });

  it('does the work itself where no thread can be started', async () => {
    const alone = storeIn(folder(), { threadEntry: pathToFileURL(compiledOf('none.ts')) });
    expect(await alone.write('b/1', mp3(), AUDIO)).toEqual(await store.find('b/1', AUDIO));
  });

  it('has put everything away when it is closed', async () => {
    const writing = [1, 2, 3].map((row) => store.write(`b/${row}`, mp3(), AUDIO));
    await store.find('b/1', AUDIO);
    await store.close();
    expect(await Promise.all(writing)).toHaveLength(3);
    expect(await readdir(folder('b'))).toHaveLength(3);
    await expect(store.write('b/4', mp3(), AUDIO)).rejects.toThrow('closed');
  });
});
