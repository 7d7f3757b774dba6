import { beforeEach, describe, expect, it } from '@jest/globals';
import { readdir, readFile, rm, stat, truncate, writeFile, chmod } from 'node:fs/promises';
import type { Store, StoredFile } from '../../store/store.ts';
import { folderForEach } from '../support/fresh-folder.ts';
import { mp3, wav, wavOf } from './media.ts';
import { storeIn } from './store-in.ts';

const folder = folderForEach();
let store: Store;
beforeEach(() => {
  store = storeIn(folder());
});

async function keep(...bodies: readonly Buffer[]): Promise<readonly StoredFile[]> {
  const files: StoredFile[] = [];
  for (const [at, body] of bodies.entries()) files.push(await store.write(`b/${at + 2}`, body, { family: 'audio' }));
  return files;
}

async function joined(files: readonly StoredFile[]): Promise<StoredFile> {
  const answer = await store.join(files, 'b/1-joined');
  if (answer.type !== 'joined') throw new Error(`Expected a joined file, got ${JSON.stringify(answer)}.`);
  return answer.file;
}

describe('stored files that are joined', () => {
  it.each([
    ['wav', [wav(0.5), wav(1.25), wav(0.1)]],
    ['mp3', [mp3(20), mp3(40), mp3(7)]],
  ] as const)('%s: play as long as the files together, and stay', async (extension, bodies) => {
    const files = await keep(...bodies);
    const file = await joined(files);
    expect(file).toMatchObject({ key: `b/1-joined.${extension}`, extension });
    expect(file.seconds).toBeCloseTo(
      files.reduce((sum, { seconds = 0 }) => sum + seconds, 0),
      3,
    );
    expect((await readdir(folder('b'))).length).toBe(4);
    expect((await stat(folder(file.key))).mode & 0o222).toBe(0);
  });

  it('are the very samples, one after the other, however often it is done, and leave nothing over', async () => {
    const [one, two] = [wav(0.1), wav(0.2)];
    const files = await keep(one, two);
    const file = await joined(files);
    const data = await readFile(folder(file.key));
    expect(data.subarray(44)).toEqual(Buffer.concat([one.subarray(44), two.subarray(44)]));
    expect(await joined(files)).toEqual(file);
    expect(await readdir(folder('.parts'))).toEqual([]);
  });

  it.each([
    ['altered', (path: string) => chmod(path, 0o644).then(() => writeFile(path, 'something else'))],
    ['altered', (path: string) => chmod(path, 0o644).then(() => truncate(path, 60))],
    ['missing', (path: string) => rm(path)],
  ] as const)('are refused if one of them is %s', async (is, damage) => {
    const files = await keep(wav(0.1), wav(0.2));
    await damage(folder(files[1]?.key ?? ''));
    expect(await store.join(files, 'b/1-joined')).toEqual({ type: 'damaged', at: 1, is });
    expect(await readdir(folder('.parts'))).toEqual([]);
  });

  it('have pauses between them', async () => {
    const [one, two] = await keep(wav(0.5), wav(0.25));
    if (one === undefined || two === undefined) throw new Error('Expected two files.');
    const answer = await store.join([{ ...one, pauseMs: 250 }, two], 'b/1-joined');
    expect(answer).toMatchObject({ type: 'joined', file: { seconds: 1 } });
  });

  it('are refused if no player could play them as one file', async () => {
    const stereo = wavOf(wav(0.1).subarray(44), { channels: 2 });
    for (const bodies of [
      [wav(0.1), stereo],
      [wav(0.1), mp3(20)],
    ]) {
      const answer = await store.join(await keep(...bodies), 'b/1-joined');
      expect(answer).toMatchObject({ type: 'unjoinable', why: expect.stringContaining('Only files of one') });
    }
  });
});
