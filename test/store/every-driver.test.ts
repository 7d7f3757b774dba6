import { beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Bytes } from '../../store/bytes.ts';
import type { Expectation, Store, StoredFile } from '../../store/store.ts';
import { UnfitBody } from '../../store/unfit.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { DRIVERS } from './drivers.ts';
import { box, mp3, mp4, silentMp3, wav } from './media.ts';

/** What holds wherever the bytes are kept. */

const AUDIO: Expectation = { family: 'audio' };
const VIDEO: Expectation = { family: 'video' };
const TEXT: Expectation = { family: 'text' };

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** More than is kept in memory. */
const large = async (): Promise<Buffer> => Buffer.concat([await mp4(), box('free', Buffer.alloc(3_000_000, 1))]);

describe.each(DRIVERS)('$name', (driver) => {
  driver.prepare?.();
  let bytes: Bytes;
  let store: Store;
  beforeEach(async () => {
    ({ bytes, store } = await driver.open());
    await store.claim('me');
  });

  const put = (key: string, content: Buffer): Promise<void> =>
    bytes.put(key, { from: content, bytes: content.length, sha256: sha256(content) });
  const keys = async (prefix: string): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const key of bytes.list(prefix)) found.push(key);
    return found.sort();
  };
  const keep = async (...bodies: readonly Buffer[]): Promise<readonly StoredFile[]> => {
    const files: StoredFile[] = [];
    for (const [at, body] of bodies.entries()) files.push(await store.write(`b/${at + 2}`, body, AUDIO));
    return files;
  };

  it('is claimed once', async () => {
    expect(await store.claim('me')).toBe('me');
    expect(await store.claim('you')).toBe('me');
    expect(await store.claimId('first')).toBe('first');
    expect(await store.claimId('second')).toBe('first');
  });

  it('stores a small body and a large one, and finds and reads them again', async () => {
    for (const [stem, body] of Object.entries({ 'b/1-speech-1': wav(), 'b/2-speech-1': await large() })) {
      const stored = await store.write(stem, Readable.from([body]), { ...AUDIO, contentLength: body.length });
      expect(stored).toMatchObject({ bytes: body.length, sha256: sha256(body) });
      expect(await store.find(stem, AUDIO)).toEqual(stored);
      expect(await store.find(stem, { ...AUDIO, extension: stored.extension })).toEqual(stored);
      expect(sha256(await buffer(await store.read(stored.key)))).toBe(stored.sha256);
      const [measured] = await store.measure([stored.key]);
      expect(measured).toMatchObject({ bytes: body.length, names: 1 });
      // A server on this machine has this clock, and may tell whole seconds.
      expect(Math.abs((measured?.writtenAt ?? 0) - Date.now())).toBeLessThan(60_000);
    }
    expect(await keys('b/')).toEqual(['b/1-speech-1.wav', 'b/2-speech-1.mp4']);
  });

  it('replaces what has the name already', async () => {
    await store.write('b/1', wav(0.1), AUDIO);
    const second = await store.write('b/1', wav(0.2), AUDIO);
    expect(await store.find('b/1', AUDIO)).toEqual(second);
  });

  it('leaves nothing of a body that is cut, or no result', async () => {
    const cut = Readable.from([(await large()).subarray(0, 2_000_000)]);
    await expect(store.write('b/1', cut, VIDEO)).rejects.toThrow(UnfitBody);
    await expect(store.write('b/2', Buffer.from('<html>'), AUDIO)).rejects.toThrow(UnfitBody);
    expect(await keys('b/')).toEqual([]);
    expect(await store.find('b/1', VIDEO)).toBeUndefined();
  });

  it('keeps what is whole and unfit, and says so again', async () => {
    const stored = await store.write('b/1', silentMp3(), AUDIO);
    expect(stored.unfit).toBe('silent');
    expect(await store.find('b/1', AUDIO)).toEqual(stored);
  });

  it('finds no file that was altered and is no longer whole', async () => {
    await put('b/1.wav', wav().subarray(0, 500));
    expect(await store.find('b/1', AUDIO)).toBeUndefined();
  });

  it('tells a transcript from its subtitles, and raw audio by its name', async () => {
    const subtitles = await store.write('b/1', Buffer.from('WEBVTT'), { ...TEXT, extension: 'vtt' });
    expect(await store.find('b/1', TEXT)).toBeUndefined();
    const text = await store.write('b/1', Buffer.from('日本語'), TEXT);
    expect(await store.find('b/1', { ...TEXT, extension: 'txt' })).toEqual(text);
    expect(await store.find('b/1', { ...TEXT, extension: 'vtt' })).toEqual(subtitles);
    expect(await store.find('b/1', { ...TEXT, extension: 'srt' })).toBeUndefined();
    const raw = await store.write('b/2', Buffer.from([0, 1, 0xff, 0xfe]), { ...AUDIO, contentType: 'audio/pcm' });
    expect(raw).toEqual({ key: 'b/2.pcm', bytes: 4, sha256: raw.sha256, extension: 'pcm' });
    expect(await store.find('b/2', AUDIO)).toEqual(raw);
  });

  it('stores a file a second time, which outlives the first', async () => {
    const file = await store.write('one/1', mp3(), AUDIO);
    const copy = { ...file, key: 'two/7-cached.mp3' };
    for (let times = 0; times < 2; times++)
      expect(await store.reuse(file, 'two/7-cached')).toEqual({ type: 'reused', file: copy });
    await store.remove([file.key]);
    expect(await buffer(await store.read(copy.key))).toEqual(mp3());
    expect(await keys('two/')).toEqual([copy.key]);
  });

  it('stores none a second time that is altered or missing', async () => {
    const file = await store.write('one/1', mp3(), AUDIO);
    await put(file.key, Buffer.from('something else'));
    expect(await store.reuse(file, 'two/7')).toEqual({ type: 'altered' });
    const same = Buffer.from(mp3());
    same[same.length - 1] = 7;
    await put(file.key, same);
    expect(await store.reuse(file, 'two/7')).toEqual({ type: 'altered' });
    await store.remove([file.key]);
    expect(await store.reuse(file, 'two/7')).toEqual({ type: 'missing' });
    expect(await keys('two/')).toEqual([]);
  });

  it('joins files, and measures them', async () => {
    const files = await keep(wav(0.5), wav(1.25));
    const joined = await store.join(files, 'b/1-joined');
    expect(joined).toMatchObject({ type: 'joined', file: { key: 'b/1-joined.wav', seconds: 1.75 } });
    const { file } = joined as Extract<typeof joined, { type: 'joined' }>;
    expect(await store.seconds(file)).toBe(1.75);
    expect(sha256(await buffer(await store.read(file.key)))).toBe(file.sha256);
    expect(await keys('b/')).toHaveLength(3);
    expect(await store.seconds({ ...file, key: 'b/none.wav' })).toBeUndefined();
  });

  it('joins none that is altered, missing, or of another kind', async () => {
    const files = await keep(wav(0.1), wav(0.2));
    await put('b/3.wav', wav(0.3));
    expect(await store.join(files, 'b/1')).toEqual({ type: 'damaged', at: 1, is: 'altered' });
    await store.remove(['b/3.wav']);
    expect(await store.join(files, 'b/1')).toEqual({ type: 'damaged', at: 1, is: 'missing' });
    expect(await store.join(await keep(wav(0.1), mp3(20)), 'b/1')).toMatchObject({ type: 'unjoinable' });
  });

  it('lists by the beginning of the names, and removes', async () => {
    const all = ['b/0000/1.mp3', 'b/0001/2.mp3', 'b/3.mp3', 'bb/4.mp3'];
    for (const key of all) await put(key, mp3());
    expect(await keys('b/')).toEqual(all.slice(0, 3));
    expect(await keys('b/3')).toEqual(['b/3.mp3']);
    expect(await keys('c/')).toEqual([]);
    await store.remove([...all.slice(0, 2), 'b/none.mp3']);
    expect(await keys('b/')).toEqual(['b/3.mp3']);
    expect(await store.measure(all)).toEqual([undefined, undefined, expect.anything(), expect.anything()]);
  });

  it('lists all files of several folders, however many each has', async () => {
    const all = ['0000', '0001'].flatMap((folder) =>
      Array.from({ length: 70 }, (_, at) => `b/${folder}/${String(at)}.mp3`),
    );
    for (const key of all) await put(key, Buffer.from('a'));
    expect(await keys('b/')).toEqual(all.toSorted());
  });

  it('lists its folders by the beginning of their names, each once', async () => {
    const folders = async (prefix: string): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const folder of store.folders(prefix)) found.push(folder);
      return found.sort();
    };
    expect(await folders('')).toEqual([]);
    for (const key of ['f-1/0000/1.mp3', 'f-1/0001/2.mp3', 'f-2/1.mp3', 'g/1.mp3', 'f-file'])
      await put(key, Buffer.from('a'));
    expect(await folders('f-')).toEqual(['f-1', 'f-2']);
    expect(await folders('')).toEqual(['f-1', 'f-2', 'g']);
  });

  it('puts a file of this machine, and lends a copy', async () => {
    const [body, path] = [await large(), `${freshFolder()}/file`];
    await writeFile(path, body);
    await bytes.put('b/1.mp4', { from: path, bytes: body.length, sha256: sha256(body) });
    const lease = await bytes.lease('b/1.mp4');
    expect(lease?.path).toEqual(expect.any(String));
    await lease?.release();
    expect(sha256(await buffer(await store.read('b/1.mp4')))).toBe(sha256(body));
    expect(await bytes.lease('b/none.mp4')).toBeUndefined();
  });

  it('reads some bytes of a file', async () => {
    const body = await large();
    await put('b/1.mp4', body);
    const read = async (first: number, last: number): Promise<Buffer> =>
      buffer(await bytes.read('b/1.mp4', { first, last }));
    for (const [first, last] of [
      [0, 0],
      [5, 2_000_000],
      [body.length - 3, body.length - 1],
    ] as const)
      expect(sha256(await read(first, last))).toBe(sha256(body.subarray(first, last + 1)));
  });

  it('says that there is no such file to read', async () => {
    await expect(store.read('b/none.mp3')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('lets two write one name at once; what stands is whole', async () => {
    const stored = await Promise.all([wav(0.2), wav(0.3)].map((body) => store.write('b/1', body, AUDIO)));
    expect(stored).toContainEqual(await store.find('b/1', AUDIO));
  });
});
