import { beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { StoreUnwritable, UnsafeName } from '../../store/errors.ts';
import type { Expectation, Store } from '../../store/store.ts';
import { box, ftyp, id3, mp3, mp3WithXing, mp4, mp4WithIndexLast, silentMp3, wav, wavOf } from './media.ts';
import { UnfitBody } from '../../store/unfit.ts';
import { folderForEach } from '../support/fresh-folder.ts';
import { storeIn } from './store-in.ts';

const AUDIO: Expectation = { family: 'audio' };
const VIDEO: Expectation = { family: 'video' };
const TEXT: Expectation = { family: 'text' };

const folder = folderForEach();
const inStore = (...names: readonly string[]): string => folder('made', 'media', ...names);
let store: Store;
beforeEach(async () => {
  store = storeIn(inStore());
  await mkdir(inStore(), { recursive: true });
});

/** A body in small pieces. */
function bodyOf(content: Buffer | string, size = 100): Readable {
  const bytes = Buffer.from(content);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return Readable.from(pieces, { objectMode: false });
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

async function files(): Promise<string[]> {
  const entries = await readdir(inStore(), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('write', () => {
  it('stores a body under its final name, by what it is, and read-only, for users have links to it', async () => {
    const body = wav();
    const stored = await store.write('b/1-speech-1', bodyOf(body), { family: 'audio', contentLength: body.length });
    const known = { key: 'b/1-speech-1.wav', bytes: body.length, sha256: sha256(body), extension: 'wav' };
    expect(stored).toEqual({ ...known, seconds: 0.1 });
    expect(await readFile(store.pathOf(stored.key) ?? '')).toEqual(body);
    expect(await files()).toEqual(['1-speech-1.wav']);
    expect(await store.find('b/1-speech-1', AUDIO)).toEqual(stored);
    expect(Buffer.concat(await (await store.read(stored.key)).toArray())).toEqual(body);
    expect((await stat(store.pathOf(stored.key) ?? '')).mode & 0o222).toBe(0);
    // What is written again takes its place all the same.
    await store.write('b/1-speech-1', bodyOf(wav(0.2)), AUDIO);
  });

  it.each([
    ['shorter than declared', bodyOf(mp3()), { ...AUDIO, contentLength: 100_000 }, 'as declared, but 1920 came'],
    ['longer than declared', bodyOf(mp3()), { ...AUDIO, contentLength: 10 }, 'more came'],
    ['an HTML page', bodyOf(`<html>${' '.repeat(9000)}`), AUDIO, 'an HTML page'],
    ['JSON', bodyOf('{"error":"gone"}'), VIDEO, 'JSON'],
    ['nothing', bodyOf(''), AUDIO, 'empty'],
    ['a WAV that is cut', bodyOf(wav().subarray(0, 500)), AUDIO, 'Expected a whole wav file, but its sound is'],
    ['an MP4 without index', bodyOf(ftyp()), VIDEO, 'moov'],
    ['an MP3 shorter than it says', bodyOf(mp3WithXing().subarray(0, 960)), AUDIO, 'only 960 are there'],
    ['text that is not UTF-8', bodyOf(Buffer.from([0x68, 0xe9, 0x6c])), TEXT, 'not UTF-8'],
    ['text that ends within a character', bodyOf(Buffer.from('é').subarray(0, 1)), TEXT, 'not UTF-8'],
  ])('leaves nothing behind for %s', async (_name, body, expectation: Expectation, words) => {
    const writing = store.write('b/1-speech-1', body, expectation);
    await expect(writing).rejects.toThrow(UnfitBody);
    await expect(writing).rejects.toThrow(words);
    expect(await files()).toEqual([]);
    expect(await store.find('b/1-speech-1', AUDIO)).toBeUndefined();
  });

  it('takes MP3 and WAV that do not state their length', async () => {
    const streamed = wav();
    streamed.writeUInt32LE(0xffffffff, 40);
    expect(await store.write('b/1', bodyOf(streamed), AUDIO)).toMatchObject({ extension: 'wav' });
    expect(await store.write('b/2', bodyOf(id3(mp3WithXing())), AUDIO)).toMatchObject({ extension: 'mp3' });
    expect(await store.write('b/3', bodyOf(mp3()), AUDIO)).toMatchObject({ extension: 'mp3' });
  });

  it('takes a talking picture for a video, but not one that is cut', async () => {
    const body = await mp4();
    expect(await store.write('b/1', bodyOf(body), VIDEO)).toMatchObject({ extension: 'mp4', bytes: body.length });
    const half = store.write('b/2', bodyOf(body.subarray(0, body.length / 2)), VIDEO);
    await expect(half).rejects.toThrow('its box "mdat" ends at byte');
    expect(await files()).toEqual(['1.mp4']);
  });

  it.each([
    ['silent', silentMp3(), AUDIO, 'mp3', { seconds: 0.522 }],
    ['without sound', wavOf(Buffer.alloc(0)), AUDIO, 'wav', {}],
    ['sound rather than a video', wav(), VIDEO, 'wav', { seconds: 0.1 }],
    ['of no known kind', Buffer.from([0, 1, 2, 3]), AUDIO, 'bin', {}],
  ])('keeps what is whole and %s, and says so', async (unfit, body, expectation, extension, length) => {
    const stored = await store.write('b/1-speech-1', bodyOf(body), expectation);
    const known = { key: `b/1-speech-1.${extension}`, bytes: body.length, sha256: sha256(body), extension };
    expect(stored).toEqual({ ...known, unfit, ...length });
    expect(await files()).toEqual([`1-speech-1.${extension}`]);
    expect(await store.find('b/1-speech-1', expectation)).toEqual(stored);
  });

  it('keeps a video without picture or sound, and none of another kind that is cut', async () => {
    const blind = await mp4WithIndexLast({ picture: false });
    expect(await store.write('b/1', bodyOf(blind), VIDEO)).toMatchObject({ unfit: 'without a picture' });
    const deaf = await mp4WithIndexLast({ sound: false });
    expect(await store.write('b/2', bodyOf(deaf), VIDEO)).toMatchObject({ unfit: 'without sound' });
    const cut = store.write('b/3', bodyOf(wav().subarray(0, 500)), VIDEO);
    await expect(cut).rejects.toThrow('Expected a whole wav file');
    await expect(cut).rejects.toThrow(UnfitBody);
  });

  it('says when a body has come, small or large, before anything has its name', async () => {
    const seen: unknown[] = [];
    const large = Buffer.concat([await mp4(), box('free', Buffer.alloc(3_000_000, 1))]);
    for (const [stem, body] of Object.entries({ 'b/1': mp3(), 'b/2': large })) {
      const stored = await store.write(stem, bodyOf(body, 65_536), AUDIO, async () => {
        seen.push(await store.find(stem, AUDIO));
      });
      expect(stored).toMatchObject({ bytes: body.length, sha256: sha256(body) });
      expect(await store.find(stem, AUDIO)).toEqual(stored);
    }
    expect(seen).toEqual([undefined, undefined]);
  });

  it('makes a folder again that was removed meanwhile', async () => {
    await store.write('b/1', mp3(), AUDIO);
    await rm(inStore('b'), { recursive: true });
    expect(await store.write('b/1', mp3(), AUDIO)).toEqual(await store.find('b/1', AUDIO));
  });

  it('says how far a body came that broke off', async () => {
    const cut = Readable.from(
      (function* () {
        yield wav().subarray(0, 200);
        throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      })(),
      { objectMode: false },
    );
    await expect(store.write('b/1-speech-1', cut, AUDIO)).rejects.toThrow('broke off after 200 bytes (ECONNRESET)');
    const closed = new PassThrough();
    const writing = store.write('b/1-speech-1', closed, AUDIO);
    closed.destroy();
    await expect(writing).rejects.toThrow(UnfitBody);
    const early = new PassThrough();
    const other = store.write('b/1-speech-1', early, AUDIO);
    early.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    await expect(other).rejects.toThrow('broke off after 0 bytes (ECONNRESET)');
    expect(await files()).toEqual([]);
  });

  it('lets a cancellation through as it is', async () => {
    const cancel = new AbortController();
    const body = new PassThrough({ signal: cancel.signal });
    const writing = store.write('b/1-speech-1', body, AUDIO);
    body.write(wav().subarray(0, 200));
    cancel.abort();
    await expect(writing).rejects.toHaveProperty('name', 'AbortError');
    expect(await files()).toEqual([]);
  });

  it('keeps characters across pieces together, and no extension that leads out', async () => {
    expect(await store.write('b/1', bodyOf('日本語', 1), TEXT)).toMatchObject({ key: 'b/1.txt', bytes: 9 });
    await expect(store.write('b/2', bodyOf('x'), { ...TEXT, extension: '/../x' })).rejects.toThrow(UnsafeName);
  });

  it.each(['../x', '/x', 'a/../x', 'a//x', './x', 'a\0b', 'a\\b', ''])('refuses the name %j', async (stem) => {
    const body = bodyOf(wav());
    await expect(store.write(stem, body, AUDIO)).rejects.toThrow(UnsafeName);
    expect(body.destroyed).toBe(true);
    await expect(store.find(stem, AUDIO)).rejects.toThrow(UnsafeName);
    await expect(store.read(stem)).rejects.toThrow(UnsafeName);
  });

  it('says which folder cannot be written', async () => {
    await writeFile(folder('file'), '');
    await expect(storeIn(folder('file', 'media')).claim('me')).rejects.toThrow(StoreUnwritable);
    await writeFile(inStore('b'), '');
    const body = bodyOf(wav());
    await expect(store.write('b/1', body, AUDIO)).rejects.toThrow(join('made', 'media', 'b'));
    expect(body.destroyed).toBe(true);
  });

  it('says what to do about a full disk', () => {
    const error = new StoreUnwritable('/media/x', Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
    expect(error.message).toContain('free some space');
    expect(error.code).toBe('ENOSPC');
  });
});

describe('sweep', () => {
  it('removes what nobody has written to for an hour, and nothing that is whole', async () => {
    await store.sweep();
    await mkdir(inStore('.parts'));
    for (const name of ['old.part', 'new.part']) await writeFile(inStore('.parts', name), '');
    const old = new Date(Date.now() - 2 * 3_600_000);
    await utimes(inStore('.parts', 'old.part'), old, old);
    const { key } = await store.write('b/1', mp3(), AUDIO);
    await utimes(store.pathOf(key) ?? '', old, old);
    await store.sweep();
    expect((await files()).sort()).toEqual(['1.mp3', 'new.part']);
  });

  it('removes nothing behind a symbolic link that came with the folder', async () => {
    const mine = folder('mine.txt');
    await writeFile(mine, 'mine');
    const old = new Date(Date.now() - 2 * 3_600_000);
    await utimes(mine, old, old);
    await symlink(folder(), inStore('.parts'));
    await store.sweep();
    expect(await readFile(mine, 'utf8')).toBe('mine');
  });
});
