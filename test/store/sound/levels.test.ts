import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFolderStore } from '../../../store/folder-store.ts';
import { levelsOf } from '../../../store/sound/read-levels.ts';
import type { Hearing, Levels } from '../../../store/sound/levels.ts';
import { ffmpeg, FFMPEG } from '../../support/ffmpeg.ts';
import * as media from '../media.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-levels-'));
  // A tone of 0.4 in every even second, and noise of -75 dB otherwise.
  const sound = "aevalsrc='0.4*sin(2765*t)*lt(mod(t\\,2)\\,1)+0.0003*random(0)':d=4:s=24000";
  await ffmpeg('-f', 'lavfi', '-i', sound, join(folder, 'speech.wav'));
});
afterAll(() => rm(folder, { recursive: true }));

async function made(name: string, ...args: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await ffmpeg('-i', join(folder, 'speech.wav'), ...args, path);
  return path;
}

function read(hearing: Hearing): Levels {
  if (hearing.type === 'unread') throw new Error(hearing.why);
  return hearing.levels;
}

async function hear(path: string, program?: string): Promise<Hearing> {
  const extension = path.slice(path.lastIndexOf('.') + 1);
  return levelsOf({ path, extension, ...(program === undefined ? {} : { ffmpeg: program }) });
}

describe('the levels of a WAV file', () => {
  it.each([
    ['8 bits', ['-c:a', 'pcm_u8'], 1],
    ['16 bits', ['-c:a', 'pcm_s16le'], 1],
    ['24 bits, with an extended header', ['-c:a', 'pcm_s24le'], 1],
    ['32 bits', ['-c:a', 'pcm_s32le'], 1],
    ['fractions', ['-c:a', 'pcm_f32le'], 1],
    ['fractions of 64 bits', ['-c:a', 'pcm_f64le'], 1],
    ['two channels', ['-af', 'pan=stereo|c0=c0|c1=c0'], 2],
  ])('are read without ffmpeg: %s', async (name, args, channels) => {
    const levels = read(await hear(await made(`${name}.wav`, ...args)));
    expect(levels).toMatchObject({ sampleRate: 24_000, channels, clippedShare: 0, leadingSilence: 0 });
    expect(levels.seconds).toBeCloseTo(4, 3);
    expect(levels.peak).toBeCloseTo(0.4, 1);
    expect(levels.rms).toBeCloseTo(0.2, 2);
    expect(levels.silentShare).toBeCloseTo(0.5, 1);
    expect(levels.longestSilence).toBeCloseTo(1, 1);
    expect(levels.trailingSilence).toBeCloseTo(1, 1);
  });

  it('are numbers, whatever fractions it has', async () => {
    const samples = Buffer.alloc(4 * 1_600);
    [Number.NaN, Infinity, -Infinity, 3e38, -3e38].forEach((value, at) => samples.writeFloatLE(value, at * 4));
    const path = join(folder, 'odd.wav');
    await writeFile(path, media.wavOf(samples, { coding: 3, bits: 32 }));
    const levels = read(await hear(path));
    for (const value of Object.values(levels)) expect(Number.isFinite(value)).toBe(true);
    samples.fill(0);
    samples.writeFloatLE(Number.NaN, 0);
    await writeFile(path, media.wavOf(samples, { coding: 3, bits: 32 }));
    expect(read(await hear(path))).toMatchObject({ peak: 0, rms: 0, silentShare: 1 });
  });

  it('are read to the end of a stream that states no length', async () => {
    const path = join(folder, 'stream.wav');
    await writeFile(path, media.wavOf(media.wav(2).subarray(44), { size: 0xffffffff }));
    expect(read(await hear(path))).toMatchObject({ seconds: 2, silentShare: 0 });
  });

  it('tell how much of it is cut off at full scale', async () => {
    const path = await made('loud.wav', '-af', 'volume=20dB');
    const { clippedShare, peak } = read(await hear(path));
    expect(peak).toBeCloseTo(1, 3);
    // Half of the time there is a tone of 4 times full scale: it is below it for 2 * asin(1/4) / pi of a wave.
    expect(clippedShare).toBeCloseTo(0.5 * (1 - (2 * Math.asin(0.25)) / Math.PI), 1);
  });

  it('tell a loud file from a clipped one: a wave that touches full scale once is not cut off', async () => {
    const path = await made('full.wav', '-af', 'volume=2.49');
    expect(read(await hear(path)).clippedShare).toBeLessThan(0.02);
  });
});

describe('the levels of an MP3 file', () => {
  it.each([
    ['constant', ['-b:a', '64k']],
    ['variable', ['-q:a', '6']],
    ['low rate', ['-ar', '16000', '-b:a', '24k']],
    ['stereo', ['-ac', '2', '-ar', '44100', '-b:a', '128k']],
    ['quiet', ['-af', 'volume=-40dB', '-b:a', '48k']],
    ['very quiet', ['-af', 'volume=-70dB', '-b:a', '32k']],
  ])('never have more silence undecoded than decoded: %s', async (name, args) => {
    const path = await made(`${name}.mp3`, ...args);
    const [bare, decoded] = [read(await hear(path)), read(await hear(path, FFMPEG))];
    expect(bare).toMatchObject({ sampleRate: decoded.sampleRate, channels: decoded.channels, peak: null });
    // The frames include what encoders add at both ends: up to 0.12 s.
    expect(bare.seconds - decoded.seconds).toBeGreaterThanOrEqual(0);
    expect(bare.seconds - decoded.seconds).toBeLessThan(0.12);
    expect(bare.silentShare * bare.seconds).toBeLessThan(decoded.silentShare * decoded.seconds + 0.12);
    expect(bare.longestSilence).toBeLessThan(decoded.longestSilence + 0.12);
  });

  it('know digital silence, and where it is, without ffmpeg', async () => {
    const frames = Buffer.concat([media.mp3(50), silentFrames(100), media.mp3(50)]);
    const path = join(folder, 'pause.mp3');
    await writeFile(path, frames);
    const levels = read(await hear(path));
    expect(levels.seconds).toBeCloseTo(4.8, 5);
    // The last frame before it sounds on into it by half a frame.
    expect(levels.longestSilence).toBeCloseTo(2.4 - 0.012, 3);
    expect(levels).toMatchObject({ leadingSilence: 0, trailingSilence: 0 });
  });
});

describe('the levels of other files', () => {
  it.each([
    ['opus', []],
    ['ogg', ['-c:a', 'libvorbis']],
    ['flac', []],
    ['m4a', []],
    ['aac', []],
    ['webm', ['-c:a', 'libopus']],
    ['mp4', ['-f', 'mp4']],
  ])('are read with ffmpeg, and unread without it: %s', async (extension, args) => {
    const path = await made(`other.${extension}`, ...args);
    expect(await hear(path)).toEqual({ type: 'unread', why: expect.stringContaining('without ffmpeg') });
    const levels = read(await hear(path, FFMPEG));
    expect(levels.seconds).toBeCloseTo(4, 0);
    expect(levels.silentShare).toBeCloseTo(0.5, 1);
    expect(levels.peak).toBeCloseTo(0.4, 0);
  });

  it('are unread, and no fault of the file, when the program fails or is not there', async () => {
    const path = join(folder, 'noise.flac');
    await writeFile(path, Buffer.alloc(5_000, 'no sound'));
    expect(await hear(path, FFMPEG)).toMatchObject({ type: 'unread' });
    expect(await hear(path, join(folder, 'none'))).toMatchObject({ type: 'unread' });
  });

  it('are read by a store of its own files', async () => {
    const store = openFolderStore(join(folder, 'store'));
    const file = await store.write('b/1', media.wav(1), { family: 'audio' });
    expect(read(await store.levels(file))).toMatchObject({ seconds: 1, sampleRate: 16_000 });
    await expect(store.levels({ ...file, key: 'b/2.wav' })).rejects.toThrow('ENOENT');
    await store.close();
  });
});

/** Frames without any data, of the coding of `media.mp3`. */
function silentFrames(count: number): Buffer {
  const frame = Buffer.alloc(96);
  media.mp3(1).copy(frame, 0, 0, 4);
  return Buffer.concat(Array.from({ length: count }, () => frame));
}
