import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { id3Bytes, readMpegFrame } from '../../../../store/containers/mpeg-frame.ts';
import { mediaSeconds } from '../../../../store/media-seconds.ts';

import { StoreUnwritable } from '../../../../store/errors.ts';
import { FfmpegFailed } from '../../../../store/sound/ffmpeg.ts';
import { joinSound } from '../../../../store/sound/join/join-sound.ts';
import { CannotJoin, type JoinedSound, type JoinPart } from '../../../../store/sound/join/join-request.ts';
import { levelsOf } from '../../../../store/sound/read-levels.ts';
import { hearMp3 } from '../../../simulator/hear.ts';
import { compiledOf } from '../../../compiled.mjs';
import { ffmpeg, FFMPEG } from '../../../support/ffmpeg.ts';
import { checkBody } from '../../check-body.ts';
import * as media from '../../media.ts';

let folder: string;
let made = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-join-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(extension: string, body: Buffer): Promise<string> {
  const path = join(folder, `${(made += 1)}.${extension}`);
  await writeFile(path, body);
  return path;
}

/** A tone, encoded. */
async function tone(extension: string, seconds: number, ...args: readonly string[]): Promise<string> {
  const path = join(folder, `${(made += 1)}.${extension}`);
  await ffmpeg('-f', 'lavfi', '-i', `sine=${400 + made * 10}:d=${seconds}:r=24000`, ...args, path);
  return path;
}

function partOf(path: string, more: Omit<JoinPart, 'path' | 'extension'> = {}): JoinPart {
  return { path, extension: extname(path).slice(1), ...more };
}

async function joined(
  parts: readonly JoinPart[],
  program?: string,
): Promise<JoinedSound & { path: string; bytes: Buffer }> {
  const out = join(folder, `${(made += 1)}.out`);
  const found = await joinSound({ parts, out, ...(program === undefined ? {} : { ffmpeg: program }) });
  return { ...found, path: out, bytes: await readFile(out) };
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
          expect(seconds).toBeCloseTo(samples.length / 32_000, 9);
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
    const { path, bytes } = await joined(parts.map((part) => partOf(part, { pauseMs: 300 })));
    expect(await checkBody(bytes, 'wav')).toBeUndefined();
    expect(await levelsOf({ path, extension: 'wav', ffmpeg: FFMPEG })).toMatchObject({
      levels: { seconds: 1.8, clippedShare: 0, trailingSilence: expect.closeTo(0.3, 1) },
    });
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
    const { path, bytes, seconds, starts } = await joined(
      paths.map((part, at) => partOf(part, { pauseMs: pauses[at] ?? 0 })),
    );
    const lengths = await Promise.all(paths.map(async (part) => (await mediaSeconds(part, 'mp3')) ?? 0));
    const sum = lengths.reduce((all, length) => all + length, 0.65);
    expect(Math.abs(seconds - sum)).toBeLessThan(sum * 0.01);
    expect(starts).toEqual([0, expect.closeTo((lengths[0] ?? 0) + 0.25, 1), expect.any(Number)]);
    expect(await checkBody(bytes, 'mp3')).toBeUndefined();
    expect(await mediaSeconds(path, 'mp3')).toBeCloseTo(seconds, 3);
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

  it('to the same bytes each time', async () => {
    const parts = [partOf(await tone('mp3', 1), { pauseMs: 77, title: 'One' }), partOf(await tone('mp3', 1))];
    const [once, again] = [await joined(parts), await joined(parts)];
    expect(once.bytes.equals(again.bytes)).toBe(true);
  });

  it('with pauses as long as asked for, however many there are', async () => {
    const path = await file('mp3', media.mp3(10));
    const parts = Array.from({ length: 200 }, () => partOf(path, { pauseMs: 50 }));
    const { seconds } = await joined(parts);
    expect(Math.abs(seconds - 200 * (0.24 + 0.05))).toBeLessThan(0.024);
  });

  it('and a piece that was cut out of a longer file begins with silence, not with a crack', async () => {
    const whole = framesOf(await readFile(await tone('mp3', 3, '-q:a', '2', '-af', 'tremolo=f=9:d=0.99')));
    // A frame whose sound begins in the one before it.
    const from = whole.findIndex((frame, at) => at > 20 && frame.readUInt8(4) > 0);
    const cut = whole.slice(from);
    const { bytes } = await joined([
      partOf(await file('mp3', Buffer.concat(whole.slice(0, 9)))),
      partOf(await file('mp3', Buffer.concat(cut))),
    ]);
    const frames = framesOf(bytes);
    const first = frames[9] ?? Buffer.alloc(0);
    expect(from).toBeGreaterThan(0);
    expect(readMpegFrame(first)?.isSilent).toBe(true);
    // What later frames take from it is left: header, 9 bytes that say how it sounds, data.
    expect(first.subarray(13).equals(cut[0]?.subarray(13) ?? Buffer.alloc(0))).toBe(true);
    expect(frames.slice(-50)).toEqual(whole.slice(-50));
  });
});

describe('other files are joined by ffmpeg', () => {
  it.each([
    ['opus', 'ogg', ['-c:a', 'libopus', '-f', 'ogg'], 'ogg'],
    ['flac', 'flac', [], 'flac'],
    ['m4a', 'm4a', [], 'm4a'],
    ['aac', 'aac', [], 'aac'],
    ['webm', 'webm', ['-c:a', 'libopus'], 'webm'],
    ['mp4', 'mp4', [], 'm4a'],
  ])('%s', async (_, extension, args, becomes) => {
    const paths = [await tone(extension, 1.2, ...args), await tone(extension, 0.8, ...args)];
    const parts = paths.map((path, at) => partOf(path, { pauseMs: 500, title: `Chapter ${at}` }));
    const found = await joined(parts, FFMPEG);
    expect(found.extension).toBe(becomes);
    const lengths = await Promise.all(paths.map(async (path) => (await mediaSeconds(path, extension)) ?? 0));
    const sum = lengths.reduce((all, length) => all + length, 1);
    expect(Math.abs(found.seconds - sum)).toBeLessThan(sum * 0.03);
    expect(Math.abs(((await mediaSeconds(found.path, becomes)) ?? 0) - found.seconds)).toBeLessThan(0.1);
    expect(await checkBody(found.bytes, becomes)).toBeUndefined();
    expect((await joined(parts, FFMPEG)).bytes.equals(found.bytes)).toBe(true);
    await expect(joined(parts)).rejects.toThrow(CannotJoin);
  });

  it('those of several types or formats, into the type, rate and channels of the first', async () => {
    const parts = [await tone('mp3', 1), await tone('wav', 1, '-ar', '8000'), await tone('flac', 1, '-ac', '2')];
    const { path, extension, seconds } = await joined(
      parts.map((part) => partOf(part)),
      FFMPEG,
    );
    expect({ extension, seconds }).toEqual({ extension: 'mp3', seconds: expect.closeTo(3, 1) });
    expect(await levelsOf({ path, extension })).toMatchObject({ levels: { sampleRate: 24_000, channels: 1 } });
  });

  it.each([
    ['a type of its own', async () => tone('flac', 1), 'is of another type than'],
    ['another rate', async () => tone('mp3', 1, '-ar', '16000'), 'has 16000 Hz, 1 channel'],
    ['other channels', async () => tone('mp3', 1, '-ac', '2'), 'has 24000 Hz, 2 channels'],
    ['damage', async () => file('mp3', Buffer.concat([media.mp3(), Buffer.alloc(9, 'x')])), 'is damaged'],
  ])('and without it, the file that does not fit is named: %s', async (_, make, words) => {
    const odd = await make();
    const failed = joined([partOf(await tone('mp3', 1)), partOf(odd)]);
    await expect(failed).rejects.toThrow(CannotJoin);
    await expect(failed).rejects.toThrow(odd);
    await expect(failed).rejects.toThrow(words);
  });

  it.each([
    ['No space left on device', StoreUnwritable, /The disk is full/],
    ['some trouble', FfmpegFailed, /^ffmpeg ended with 1: some trouble/],
  ])('and if the encoder ends early, by %s, that is told, and no part is blamed', async (words, type, message) => {
    const program = join(folder, `failing ${(made += 1)}`);
    const body = `case "$*" in *pipe:0*) echo "${words}" >&2; exec <&-; /bin/sleep 0.3; exit 1;; esac\nexec '${FFMPEG}' "$@"`;
    await writeFile(program, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    const failed = joined([partOf(await tone('flac', 20)), partOf(await tone('flac', 1))], program);
    await expect(failed).rejects.toThrow(type);
    await expect(failed).rejects.toThrow(message);
  });

  it('many of them without a word on the error output', async () => {
    const part = { path: await tone('flac', 0.05), extension: 'flac', pauseMs: 10 };
    const request = { parts: Array.from({ length: 12 }, () => part), out: join(folder, 'many'), ffmpeg: FFMPEG };
    const module = pathToFileURL(compiledOf('store/sound/join/join-sound.ts')).href;
    const code = `const { joinSound } = await import('${module}'); await joinSound(${JSON.stringify(request)});`;
    const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
    expect(stderr).toBe('');
  });

  it('a file that it cannot read is named', async () => {
    const odd = await file('flac', Buffer.alloc(5_000, 'no sound'));
    await expect(joined([partOf(await tone('flac', 1)), partOf(odd)], FFMPEG)).rejects.toThrow(odd);
  });
});

describe('chapters', () => {
  it.each([
    ['mp3', ['mp3', 'mp3'], undefined],
    ['webm', ['webm', 'webm'], FFMPEG],
    ['m4a', ['m4a', 'm4a'], FFMPEG],
    ['mp3 of several types', ['mp3', 'wav'], FFMPEG],
  ])('are read by ffmpeg from %s', async (_, extensions, program) => {
    const titles = ['Über; alles = 1', '第二章 #2'];
    const parts = await Promise.all(
      extensions.map(async (extension, at) =>
        partOf(await tone(extension, 1), { pauseMs: 500, title: titles[at] ?? '' }),
      ),
    );
    const { path, starts } = await joined(parts, program);
    const list = join(folder, `${(made += 1)}.txt`);
    await ffmpeg('-i', path, '-f', 'ffmetadata', list);
    const written = await readFile(list, 'utf8');
    const begins = [...written.matchAll(/TIMEBASE=1\/(\d+)\nSTART=(\d+)/g)].map(
      ([, base, start]) => Number(start) / Number(base),
    );
    // An encoder may begin a little before the first sample.
    expect(begins).toEqual(starts.map((start) => expect.closeTo(start, 1)));
    expect([...written.matchAll(/title=(.*)/g)].map(([, title]) => title?.replaceAll('\\', ''))).toEqual(titles);
  });

  it.each([
    ['one format', ['wav', 'wav'], undefined],
    ['several types', ['wav', 'mp3'], FFMPEG],
  ])('stand as cues in a WAV file: %s', async (_, extensions, program) => {
    const parts = await Promise.all(
      extensions.map(async (extension, at) => partOf(await tone(extension, 1), { title: `Part ${at}` })),
    );
    const { bytes, starts } = await joined(parts, program);
    expect(await checkBody(bytes, 'wav')).toBeUndefined();
    const at = bytes.indexOf('cue ');
    expect(bytes.readUInt32LE(at + 8)).toBe(2);
    expect(bytes.readUInt32LE(at + 12 + 24 + 4) / 24_000).toBeCloseTo(starts[1] ?? 0, 3);
    expect(bytes.includes('Part 1\0')).toBe(true);
    expect(bytes.readUInt32LE(4) + 8).toBe(bytes.length);
  });

  it('may be many more than a list can count', async () => {
    const path = await file('mp3', media.mp3(1));
    const { path: out } = await joined(Array.from({ length: 300 }, (_, at) => partOf(path, { title: `${at}` })));
    const list = join(folder, `${(made += 1)}.txt`);
    await ffmpeg('-i', out, '-f', 'ffmetadata', list);
    expect((await readFile(list, 'utf8')).match(/\[CHAPTER\]/g)).toHaveLength(300);
  });
});

/** How long ffmpeg says a file plays before it has read it. */
async function durationOf(path: string): Promise<number> {
  const words = await ffmpeg('-i', path, '-t', '0', '-f', 'null', '-');
  const [, hours = '', minutes = '', seconds = ''] = /Duration: (\d+):(\d+):([\d.]+)/.exec(words) ?? [];
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

/** The frames of an MP3 file, without the tag in front and the frame that describes it. */
function framesOf(body: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = id3Bytes(body); ;) {
    const frame = readMpegFrame(body.subarray(at));
    if (frame === undefined) return frames;
    if (frame.info === undefined) frames.push(body.subarray(at, at + frame.size));
    at += frame.size;
  }
}
