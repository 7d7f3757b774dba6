import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFile, writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { mediaSeconds } from '../../store/inspect.ts';
import { readCues } from '../../store/sound/join/chapters.ts';
import { joinSound } from '../../store/join-files.ts';
import { CannotJoin, type JoinPart } from '../../store/sound/join/join-parts.ts';
import { hearMp3 } from '../simulator/hear.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { folderForEach } from '../support/fresh-folder.ts';
import { checkBody } from './check-body.ts';
import * as media from './media.ts';

const folder = folderForEach();
let made = 0;
const newPath = (extension: string): string => folder(`${(made += 1)}.${extension}`);

async function file(extension: string, body: Buffer): Promise<string> {
  const path = newPath(extension);
  await writeFile(path, body);
  return path;
}

/** A tone, encoded. */
async function tone(extension: string, seconds: number, ...args: readonly string[]): Promise<string> {
  const path = newPath(extension);
  await ffmpeg('-f', 'lavfi', '-i', `sine=${400 + made * 10}:d=${seconds}:r=24000`, ...args, path);
  return path;
}

function partOf(path: string, more: Omit<JoinPart, 'path' | 'extension'> = {}): JoinPart {
  return { path, extension: extname(path).slice(1), ...more };
}

async function joined(parts: readonly JoinPart[]): Promise<{ path: string; bytes: Buffer; seconds: number }> {
  const path = newPath('out');
  await joinSound(parts, path);
  const seconds = await mediaSeconds(path, parts[0]?.extension ?? '');
  return { path, bytes: await readFile(path), seconds: seconds ?? NaN };
}

describe('WAV files are joined', () => {
  it.each([0, 0x8000_0000, 0xffff_ffff])('but not at %d samples a second', async (rate) => {
    const body = media.wav(0.1);
    body.writeUInt32LE(rate, 24);
    const failed = joined([partOf(await file('wav', body))]);
    await expect(failed).rejects.toThrow(CannotJoin);
    await expect(failed).rejects.toThrow(`has an impossible rate of ${rate} samples a second`);
  });

  it('sample for sample, whatever their lengths and pauses', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ samples: fc.nat(3_000), pauseMs: fc.nat(200) }), { minLength: 1, maxLength: 5 }),
        async (shapes) => {
          const bodies = shapes.map(({ samples }, at) => Buffer.alloc(samples * 2, at + 1));
          const parts = await Promise.all(
            bodies.map(async (body, at) => partOf(await file('wav', media.wavOf(body)), shapes[at])),
          );
          const { bytes, seconds } = await joined(parts);
          const expected = bodies.flatMap((body, at) => [body, Buffer.alloc((shapes[at]?.pauseMs ?? 0) * 32)]);
          const samples = Buffer.concat(expected);
          expect(bytes.subarray(44).equals(samples)).toBe(true);
          if (samples.length > 0) expect(Math.abs(seconds - samples.length / 32_000)).toBeLessThan(0.001);
        },
      ),
      { numRuns: 20 },
    );
  });

  it.each([
    ['fractions', ['-c:a', 'pcm_f32le']],
    ['24 bits in stereo', ['-c:a', 'pcm_s24le', '-ac', '2']],
    ['8 bits', ['-c:a', 'pcm_u8']],
    ['of a telephone', ['-c:a', 'pcm_alaw', '-ar', '8000']],
  ])('in their own format: %s', async (_, args) => {
    const parts = [await tone('wav', 0.5, ...args), await tone('wav', 0.7, ...args)];
    const { path, bytes, seconds } = await joined(parts.map((part) => partOf(part, { pauseMs: 300 })));
    expect(await checkBody(bytes, 'wav')).toBeUndefined();
    expect(seconds).toBe(1.8);
    const said = await ffmpeg('-i', path, '-af', 'silencedetect=noise=-50dB:d=0.25', '-f', 'null', '-');
    expect(said.match(/silence_duration: 0\.[23]\d*/g)).toHaveLength(2);
  });

  it('leaving out their texts, and a stream without a length to its end', async () => {
    const sound = media.wav(0.5).subarray(44);
    const stream = await file('wav', media.wavOf(sound, { size: 0xffffffff }));
    const text = Buffer.concat([media.wav(0.5), Buffer.from('LIST\x04\0\0\0INFO')]);
    const { bytes } = await joined([partOf(await file('wav', text)), partOf(stream)]);
    expect(bytes.subarray(44).equals(Buffer.concat([sound, sound]))).toBe(true);
  });
});

describe('MP3 files are joined', () => {
  const kinds: readonly [string, readonly string[]][] = [
    ['constant', ['-b:a', '48k']],
    ['variable', ['-q:a', '5']],
    ['low rate', ['-ar', '16000', '-b:a', '24k']],
    ['stereo', ['-ac', '2', '-ar', '44100', '-b:a', '96k']],
    ['without a header of their own', ['-b:a', '64k', '-write_xing', '0']],
  ];

  it.each(kinds)('frame by frame: %s', async (_, args) => {
    const paths = [await tone('mp3', 1, ...args), await tone('mp3', 1.5, ...args), await tone('mp3', 0.4, ...args)];
    const pauses = [250, 0, 400];
    const parts = paths.map((part, at) => partOf(part, { pauseMs: pauses[at] ?? 0 }));
    const { path, bytes, seconds } = await joined(parts);
    const lengths = await Promise.all(paths.map(async (part) => (await mediaSeconds(part, 'mp3')) ?? 0));
    const sum = lengths.reduce((all, length) => all + length, 0.65);
    expect(Math.abs(seconds - sum)).toBeLessThan(sum * 0.01);
    expect(await checkBody(bytes, 'mp3')).toBeUndefined();
    // Players go by the header in front: ffmpeg by its number of frames.
    expect(await durationOf(path)).toBeCloseTo(seconds, 1);
    const heard = await hearMp3(bytes);
    expect(heard.errors).toBe(0);
    expect(Math.abs(heard.seconds - seconds)).toBeLessThan(0.1);
  });

  it('with nothing in them that any part does not have: decoded, all frames are those of the parts', async () => {
    const paths = [await tone('mp3', 1, '-b:a', '64k'), await tone('mp3', 1, '-b:a', '64k')];
    const { path } = await joined(paths.map((part) => partOf(part)));
    const decode = async (from: string): Promise<Buffer> => {
      const to = `${from}.s16`;
      await ffmpeg('-flags2', '+skip_manual', '-i', from, '-f', 's16le', to);
      return readFile(to);
    };
    const [whole, first, second] = await Promise.all([path, ...paths].map(decode));
    // A decoder's overlap reaches a frame into the next part: compare behind it.
    const frame = 576 * 2;
    const joint = (first?.length ?? 0) + 2 * frame;
    expect(whole?.length).toBe((first?.length ?? 0) + (second?.length ?? 0));
    expect(whole?.subarray(0, first?.length).equals(first ?? Buffer.alloc(0))).toBe(true);
    expect(whole?.subarray(joint).equals(second?.subarray(2 * frame) ?? Buffer.alloc(0))).toBe(true);
  });

  it('with pauses as long as asked for, however many there are', async () => {
    const path = await file('mp3', media.mp3(10));
    const parts = Array.from({ length: 200 }, () => partOf(path, { pauseMs: 50 }));
    const { seconds } = await joined(parts);
    expect(Math.abs(seconds - 200 * (0.24 + 0.05))).toBeLessThan(0.024);
  });
});

describe('files that do not fit', () => {
  it.each([
    ['another rate', async () => tone('mp3', 1, '-ar', '16000'), 'has 16000 Hz, 1 channel'],
    ['other channels', async () => tone('mp3', 1, '-ac', '2'), 'has 24000 Hz, 2 channels'],
    ['damage', async () => file('mp3', Buffer.concat([media.mp3(), Buffer.alloc(9, 'x')])), 'is damaged'],
  ])('are named: %s', async (_, make, words) => {
    const odd = await make();
    const failed = joined([partOf(await tone('mp3', 1)), partOf(odd)]);
    await expect(failed).rejects.toThrow(CannotJoin);
    await expect(failed).rejects.toThrow(odd);
    await expect(failed).rejects.toThrow(words);
  });

  it('are told by their types if these differ', async () => {
    const failed = joined([partOf(await tone('mp3', 1)), partOf(await tone('flac', 1))]);
    await expect(failed).rejects.toThrow('these are mp3 and flac');
  });

  it('are those of other types, however alike', async () => {
    const parts = [partOf(await tone('flac', 0.2)), partOf(await tone('flac', 0.2))];
    await expect(joined(parts)).rejects.toThrow('Only WAV and MP3 files can be joined');
  });
});

describe('chapters', () => {
  const TITLES = ['Über; alles = 1', '第二章 #2'];
  const titled = (extension: string): Promise<readonly JoinPart[]> =>
    Promise.all(TITLES.map(async (title) => partOf(await tone(extension, 1), { pauseMs: 500, title })));

  it('are read by ffmpeg from an MP3 file, which has the same bytes each time', async () => {
    const parts = await titled('mp3');
    const { path, bytes } = await joined(parts);
    expect((await joined(parts)).bytes.equals(bytes)).toBe(true);
    const written = await metadataOf(path);
    const begins = [...written.matchAll(/TIMEBASE=1\/(\d+)\nSTART=(\d+)/g)].map(
      ([, base, start]) => Number(start) / Number(base),
    );
    expect(begins).toEqual([0, expect.closeTo(1.55, 1)]);
    expect([...written.matchAll(/title=(.*)/g)].map(([, title]) => title?.replaceAll('\\', ''))).toEqual(TITLES);
  });

  it('stand as cues in a WAV file', async () => {
    const { path, bytes } = await joined(await titled('wav'));
    expect(await checkBody(bytes, 'wav')).toBeUndefined();
    expect(await readCues(path)).toEqual([
      { title: TITLES[0], startMs: 0, endMs: 1_500 },
      { title: TITLES[1], startMs: 1_500, endMs: 3_000 },
    ]);
    expect(bytes.readUInt32LE(4) + 8).toBe(bytes.length);
  });

  it('may be many more than a list can count', async () => {
    const path = await file('mp3', media.mp3(1));
    const { path: out } = await joined(Array.from({ length: 300 }, (_, at) => partOf(path, { title: `${at}` })));
    expect((await metadataOf(out)).match(/\[CHAPTER\]/g)).toHaveLength(300);
  });
});

async function metadataOf(path: string): Promise<string> {
  const list = newPath('txt');
  await ffmpeg('-i', path, '-f', 'ffmetadata', list);
  return readFile(list, 'utf8');
}

/** How long ffmpeg says a file plays before it has read it. */
async function durationOf(path: string): Promise<number> {
  const words = await ffmpeg('-i', path, '-t', '0', '-f', 'null', '-');
  const [, hours = '', minutes = '', seconds = ''] = /Duration: (\d+):(\d+):([\d.]+)/.exec(words) ?? [];
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}
