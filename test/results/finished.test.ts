/** @slow */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finishing } from '../../contract/finishing.ts';
import type { FinishedLine } from '../../results/sound/sound-lists.ts';
import { writeOutFolder, type FilesMade } from '../../results/write-out-folder.ts';
import { LinkedFolder } from '../../results/errors.ts';
import { verifyOut } from '../../results/verification/verify.ts';
import { readCues } from '../../store/sound/join/chapters.ts';
import { mediaSeconds } from '../../store/inspect.ts';
import { soundSpan } from '../../store/sound/finish/sound-span.ts';
import { claimAnew } from '../ledger/setup.ts';
import { ffmpeg, FFMPEG } from '../support/ffmpeg.ts';
import { freshPlace } from '../support/place.ts';
import { OutFiles } from './out-files.ts';
import { addBatch, finish as settle, keyOf } from './sample-batch.ts';

const place = freshPlace();
const out = new OutFiles(place);
const inOut = (name: string): string => out.pathOf(name);

/** A batch of two rows, `a` and `b`, in one chapter. */
async function add(finish: Finishing, isJoined = false): Promise<void> {
  const join = isJoined ? { join: { column: 'chapter', pause: 0 } } : {};
  const reading = { kind: null, defaults: {}, map: {}, tts: 'job', finish, ...join } as const;
  const rows = ['a', 'b'].map((id) => ({
    id,
    kind: 'tts' as const,
    input: [id, 'One', id === 'a' ? 'Bücher; 1 = 第一章' : ''],
  }));
  await addBatch(place, ['id', 'chapter', 'title'], rows, undefined, null, { reading });
}

async function speak(row: number, body: Buffer, take = 1): Promise<void> {
  await settle(place, keyOf(row, 'speech', 1, take), await place.store.put(`demo/${row}-${take}.wav`, body));
}

/** A tone of two seconds at -30 dB, with a second of silence before it and half a second behind. */
async function tone(hertz: number): Promise<Buffer> {
  const path = join(place.folder, `${hertz}.wav`);
  const sound = `aevalsrc='0.03*sin(${hertz}*6.2832*t)*between(t\\,1\\,3)':d=3.5:s=24000`;
  await ffmpeg('-f', 'lavfi', '-i', sound, path);
  return readFile(path);
}

const project = async (): Promise<readonly FinishedLine[]> => (await out.project()).finished ?? [];

/** Something like speech: a voice of syllables, of this many seconds and this peak; `extra` is added to it. */
async function voice(seconds: number, peak: number, extra = '0'): Promise<Buffer> {
  const path = join(place.folder, 'voice.wav');
  const tones = '(sin(880*t)+0.6*sin(1760*t+1)+0.4*sin(3500*t)+0.25*sin(10700*t))/2.2';
  const sound = `aevalsrc='${peak}*${tones}*pow(abs(sin(13*t)),0.7)+${extra}':d=${seconds}:s=24000`;
  await ffmpeg('-y', '-f', 'lavfi', '-i', sound, '-c:a', 'pcm_s24le', path);
  return readFile(path);
}

/** Integrated loudness in LUFS, as another filter than the one that made it finds it. */
async function loudnessOf(name: string): Promise<number> {
  const words = await ffmpeg('-i', inOut(name), '-af', 'loudnorm=print_format=json', '-f', 'null', '-');
  return Number(/"input_i" : "(-[\d.]+)"/.exec(words)?.[1]);
}

/** Titles and starts (s) of the chapters that ffmpeg finds. */
async function chaptersOf(path: string): Promise<[string, number][]> {
  const list = join(place.folder, 'chapters.txt');
  await ffmpeg('-i', path, '-f', 'ffmetadata', list);
  const found = (await readFile(list, 'utf8')).matchAll(/TIMEBASE=1\/(\d+)\nSTART=(\d+)\nEND=\d+\ntitle=(.*)/g);
  return Array.from(found, ([, base, start, title = '']) => [title.replaceAll('\\', ''), Number(start) / Number(base)]);
}

/** Highest true peak, dBTP. */
async function peakOf(name: string): Promise<number> {
  const words = await ffmpeg('-i', inOut(name), '-af', 'ebur128=peak=true:framelog=verbose', '-f', 'null', '-');
  return Number(/Peak: +(-?[\d.]+) dBFS/.exec(words)?.[1]);
}

beforeEach(() => {
  place.store.program = FFMPEG;
});

describe('finished copies', () => {
  it('have the loudness, length, rate and type that were asked for, and leave the original as it was', async () => {
    await add({ loudness: -16, trimSilence: true, sampleRate: 48_000, format: 'flac' });
    const original = await tone(500);
    await speak(1, original);
    const [line, ...others] = await project();
    expect(others).toEqual([]);
    const named = { row: '1', id: 'a', original: 'media/a.wav', file: 'media/finished/a.flac', message: '' };
    expect(line).toMatchObject({ ...named, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await readFile(inOut('media/a.wav'))).toEqual(original);
    expect(await ffmpeg('-i', inOut('media/finished/a.flac'), '-t', '0', '-f', 'null', '-')).toContain('48000 Hz');
    const span = await soundSpan(inOut('media/finished/a.flac'), FFMPEG);
    expect(span.end).toBeCloseTo(2.1, 1);
    expect(span.start).toBeLessThan(0.1);
    const found = await loudnessOf('media/finished/a.flac');
    expect(Math.abs(found + 16)).toBeLessThan(1);
    expect(Math.abs(Number(line?.loudness_after) - found)).toBeLessThan(0.2);
    expect(Number(line?.loudness_before)).toBeLessThan(-25);
    expect(await out.read('finished.csv')).toMatch(/\n1,a,media\/a\.wav,.*,-\d+\.\d+,-1\d\.?\d*,/);
    expect(await out.summary()).toMatchObject({ finished: { files: 1, failed: 0 } });
  });

  it.each<[string, [number, number, string?]]>([
    ['shorter than three seconds', [0.5, 0.2]],
    ['soft', [1, 0.002]],
    ['loud', [4, 0.99]],
    ['with peaks that a gain alone would cut', [4, 0.05, '0.8*gt(mod(t\\,1)\\,0.999)']],
  ])('are as loud as asked for where the original is %s', async (_, sound) => {
    await add({ loudness: -16, format: 'mp3' });
    await speak(1, await voice(...sound));
    const [line] = await project();
    expect(Math.abs((await loudnessOf('media/finished/a.mp3')) + 16)).toBeLessThan(1);
    expect(await peakOf('media/finished/a.mp3')).toBeLessThanOrEqual(-1.5);
    const before = (await mediaSeconds(inOut('media/a.wav'), 'wav')) ?? 0;
    expect(Math.abs(Number(line?.seconds) - before)).toBeLessThan(0.1);
  });

  it('are as loud as asked for where the original is too short to be measured by itself', async () => {
    await add({ loudness: -20 });
    await speak(1, await voice(0.3, 0.05));
    expect(await project()).toMatchObject([{ seconds: '0.3', message: '' }]);
    const often = ['-stream_loop', '9', '-i', inOut('media/finished/a.wav'), '-af', 'ebur128'];
    const words = await ffmpeg(...often, '-f', 'null', '-');
    expect(Math.abs(Number(/I: +(-[\d.]+) LUFS\s+Threshold/.exec(words)?.[1]) + 20)).toBeLessThan(1);
  });

  it.each([0.5, 0.001])('lose no soft start of a word where the loudest moment is at %d', async (peak) => {
    await add({ trimSilence: true, format: 'flac' });
    // Breath of a fifth of a second, 40 dB below the voice, which begins at 1.2 s.
    const path = join(place.folder, 'breath.wav');
    const breath = `0.01*sin(9000*t)*between(t\\,1\\,1.2)`;
    const sound = `aevalsrc='${peak}*(${breath}+sin(1900*t)*between(t\\,1.2\\,2))':d=3:s=24000`;
    await ffmpeg('-f', 'lavfi', '-i', sound, '-c:a', 'pcm_s24le', path);
    await speak(1, await readFile(path));
    const [line] = await project();
    // 50 ms are left at both ends.
    expect(Math.abs(Number(line?.seconds) - 1.1)).toBeLessThan(0.025);
  });

  it.each([
    ['mp3', 'mp3'],
    ['opus', 'opus, 48000 Hz'],
    ['m4a', 'aac'],
    ['m4b', 'aac'],
    ['wav', 'pcm_s16le'],
  ] as const)('can be %s', async (format, coding) => {
    await add({ format });
    await speak(1, await tone(500));
    expect(await project()).toMatchObject([{ file: `media/finished/a.${format}`, message: '' }]);
    expect(await ffmpeg('-i', inOut(`media/finished/a.${format}`), '-f', 'null', '-')).toContain(`Audio: ${coding}`);
  });

  it('are not made again while they are right, and are the same bytes when they are', async () => {
    await add({ loudness: -20 });
    await speak(1, await tone(500));
    await project();
    const path = inOut('media/finished/a.wav');
    const [before, bytes] = [await stat(path), await readFile(path)];
    place.store.program = undefined;
    expect(await project()).toMatchObject([{ message: '' }]);
    expect((await stat(path)).mtimeMs).toBe(before.mtimeMs);
    place.store.program = FFMPEG;
    await writeFile(path, 'something else');
    expect((await verifyOut(place.out)).mismatches).toHaveLength(1);
    await project();
    expect(await readFile(path)).toEqual(bytes);
    await rm(place.out, { recursive: true });
    await project();
    expect(await readFile(path)).toEqual(bytes);
  });

  it('name a file that cannot be read, or is silent, which costs no other one', async () => {
    await add({ loudness: -16, trimSilence: true });
    await speak(1, Buffer.from('RIFF____WAVE and nothing else'));
    await speak(2, await tone(700));
    expect(await project()).toMatchObject([
      { id: 'a', file: '', message: expect.stringContaining('ffmpeg ended with') },
      { id: 'b', file: 'media/finished/b.wav', message: '' },
    ]);
    expect(await readdir(inOut('media/finished'))).toEqual(['b.wav']);
  });

  it('are not written behind a symbolic link', async () => {
    await add({ format: 'mp3' });
    await speak(1, await tone(300));
    place.store.program = FFMPEG;
    await mkdir(inOut('media'), { recursive: true });
    await mkdir(join(place.folder, 'victim'));
    await symlink(join(place.folder, 'victim'), inOut('media/finished'));
    await expect(project()).rejects.toThrow(new LinkedFolder(inOut('media/finished')));
    expect(await readdir(join(place.folder, 'victim'))).toEqual([]);
  });

  it('say how to get ffmpeg where there is none', async () => {
    await add({ loudness: -16 });
    await speak(1, await tone(500));
    place.store.program = undefined;
    expect(await project()).toMatchObject([{ file: '', message: expect.stringContaining('VOXBATCH_FFMPEG') }]);
  });

  it('are made of joined files, too', async () => {
    await add({ loudness: -18, format: 'mp3' }, true);
    await speak(1, await tone(500));
    await speak(2, await tone(700));
    expect((await project()).map(({ row, id, file }) => [row, id, file])).toEqual([
      ['1', 'a', 'media/finished/a.mp3'],
      ['2', 'b', 'media/finished/b.mp3'],
      ['', 'One', 'media/finished/joined/One.mp3'],
    ]);
    expect(Math.abs((await loudnessOf('media/finished/joined/One.mp3')) + 18)).toBeLessThan(1);
  });

  it('are told while they are made, after the joined files, and also where they are there already', async () => {
    await add({ format: 'flac' }, true);
    await speak(1, await tone(500));
    await speak(2, await tone(700));
    const telling = async (): Promise<readonly string[]> => {
      const told: string[] = [];
      const onFilesMade = ({ step, done, all }: FilesMade): void => void told.push(`${step} ${done}/${all}`);
      await writeOutFolder({ ...place.request({ complete: false }), onFilesMade });
      return told;
    };
    const made = await telling();
    expect(made).toEqual(['join 0/1', 'join 1/1', 'finish 0/3', 'finish 1/3', 'finish 2/3', 'finish 3/3']);
    expect(await telling()).toEqual(made);
  });

  it.each(['m4b', 'm4a', 'mp3', 'wav'] as const)('of joined WAV files have their chapters: %s', async (format) => {
    await add({ format, trimSilence: true }, true);
    await speak(1, await tone(500));
    await speak(2, await tone(700));
    await project();
    const file = inOut(`media/finished/joined/One.${format}`);
    // The first second is cut off, but for 50 ms; the second chapter begins after 3.5 s.
    const expected = [
      ['Bücher; 1 = 第一章', 0],
      ['b', 2.55],
    ];
    expect(
      await (format === 'wav'
        ? readCues(file).then((found) => found.map(({ title, startMs }) => [title, startMs / 1_000]))
        : chaptersOf(file)),
    ).toEqual(expected.map(([title, start]) => [title, expect.closeTo(Number(start), 1)]));
  });

  it('are made of a row that was split, and of the joined file with it, but of none of its parts', async () => {
    const reading = { kind: null, defaults: {}, map: {}, tts: 'job', finish: { format: 'flac' } } as const;
    const part = { spec: { kind: 'tts', text: 'One.', voice: 'v', extra: {} }, quoted: 5 } as const;
    const row = { id: 'a', kind: 'tts', input: ['a', 'One'], parts: { first: 2, rows: [part, part] } } as const;
    await addBatch(place, ['id', 'chapter'], [row], undefined, null, {
      reading: { ...reading, split: 'sentences', join: { column: 'chapter', pause: 0 } },
    });
    for (const at of [2, 3]) await speak(at, await tone(500));
    const { rows } = await claimAnew(place.ledger, { batch: 'demo' });
    const whole = { batch: 'demo', row: 1, fence: rows.find((found) => found.row.row === 1)?.row.fence ?? 0 };
    await place.ledger.endSplitRow(whole, { file: await place.store.put('demo/1-joined.wav', await tone(700)) });
    expect((await project()).map(({ original, file }) => [original, file])).toEqual([
      ['media/a.wav', 'media/finished/a.flac'],
      ['media/joined/One.wav', 'media/finished/joined/One.flac'],
    ]);
  });

  it('go with a row that is opened again, but never a file of a person', async () => {
    await add({ format: 'flac' });
    await speak(1, await tone(500));
    await project();
    await writeFile(inOut('media/finished/mine.txt'), 'mine');
    await out.payAgain(1);
    expect(await project()).toEqual([]);
    expect(await readdir(inOut('media/finished'))).toEqual(['mine.txt']);
  });
});
