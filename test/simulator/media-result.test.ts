/** @slow */
import { describe, expect, it } from '@jest/globals';
import { WAV_RATE } from '../../simulator/media/encode-wav.ts';
import { type MediaResult, soundOf, renderMedia, sampleOf, speechOf } from '../../simulator/media-result.ts';
import { SignedLinks } from '../../simulator/signed-links.ts';
import { demux, hearMp3, hearPcm } from './hear.ts';

const TEXTS = [
  'Hi.',
  'A line of ordinary length, as a narrator reads it.',
  'word '.repeat(120),
  '你好，世界。'.repeat(20),
];

/** The length that listeners are promised: 15 characters a second, at least half a second. */
const promised = (text: string): number => Math.max(0.5, Array.from(text).length / 15);

function expectAudible(heard: { seconds: number; rms: number; errors: number }, seconds: number): void {
  expect(heard.errors).toBe(0);
  expect(Math.abs(heard.seconds - seconds) / seconds).toBeLessThan(0.05);
  expect(heard.rms).toBeGreaterThan(0.05);
  expect(heard.rms).toBeLessThan(0.7);
}

describe('renderMedia', () => {
  it.each(TEXTS)('makes MP3 that mpg123 decodes, as long as the text: %p', async (text) => {
    const bytes = await renderMedia('mp3', speechOf(text, 'narrator', 'mp3'));
    expectAudible(await hearMp3(bytes), promised(text));
  });

  it.each(TEXTS)('makes WAV as long as the text: %p', async (text) => {
    const bytes = await renderMedia('wav', speechOf(text, 'narrator', 'wav'));
    expect(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
    expectAudible(hearPcm(bytes.subarray(44), bytes.readUInt32LE(24)), promised(text));
  });

  it('makes headerless PCM', async () => {
    const text = TEXTS[1] ?? '';
    const bytes = await renderMedia('pcm', speechOf(text, 'narrator', 'pcm'));
    expectAudible(hearPcm(bytes, WAV_RATE), promised(text));
  });

  it.each(TEXTS)('puts the very MP3 frames of the given audio into an MP4: %p', async (text) => {
    const sound = speechOf(text, 'narrator', 'mp3');
    const [video, audio] = demux(await renderMedia('mp4', sound));
    const joined = Buffer.concat(audio?.samples ?? []);
    expect(joined.equals(await renderMedia('mp3', sound))).toBe(true);
    expectAudible(await hearMp3(joined), promised(text));
    expect(Math.abs((video?.seconds ?? 0) - promised(text)) / promised(text)).toBeLessThan(0.05);
    expect(video?.codec).toBe('avc1.42c00b');
  });

  it('keeps WAV audio as PCM in an MP4', async () => {
    const sound = speechOf(TEXTS[1] ?? '', 'narrator', 'wav');
    const audio = demux(await renderMedia('mp4', sound))[1];
    const wav = await renderMedia('wav', sound);
    expect(Buffer.concat(audio?.samples ?? []).equals(wav.subarray(44))).toBe(true);
  });

  it('gives every text and voice its own melody', async () => {
    const one = await renderMedia('mp3', speechOf('one two three four', 'narrator', 'mp3'));
    const two = await renderMedia('mp3', speechOf('one two three five', 'narrator', 'mp3'));
    const other = await renderMedia('mp3', speechOf('one two three four', 'storyteller', 'mp3'));
    expect(one.equals(two)).toBe(false);
    expect(one.equals(other)).toBe(false);
    expect(one.equals(await renderMedia('mp3', speechOf('one two three four', 'narrator', 'mp3')))).toBe(true);
  });
});

it('sampleOf knows a face and voices, and nothing else', () => {
  expect(sampleOf('face.mp4')?.format).toBe('mp4');
  expect(sampleOf('voice-7.wav')?.format).toBe('wav');
  expect(sampleOf('voice-7.mp3')?.sound.text).toContain('number 7');
  expect(sampleOf('voice-x.mp3')).toBeNull();
  expect(sampleOf('../secret')).toBeNull();
});

describe('soundOf', () => {
  const links = new SignedLinks('http://127.0.0.1:9', 1000);
  const sound = speechOf('what was said', 'narrator', 'mp3');
  const result: MediaResult = { file: 'a.mp3', format: 'mp3', operation: 'speech-job', subject: 'x', sound };
  const own = { links, find: (file: string) => (file === 'a.mp3' ? result : undefined) };

  it('hears its own results through a signed link, with the end of that link', () => {
    const link = links.make('a.mp3');
    expect(soundOf(link.url, own)).toEqual({ ...sound, expires: link.expires, isSpoken: true });
  });

  it('refuses a link of its own that it never made', () => {
    expect(() => soundOf('http://127.0.0.1:9/results/a.mp3?expires=99999999999999&signature=00', own)).toThrow(
      'cannot be fetched',
    );
    expect(() => soundOf('http://127.0.0.1:9/elsewhere', own)).toThrow('cannot be fetched');
  });

  it('takes length and words of a foreign URL from the URL alone', () => {
    const heard = soundOf('https://media.example.com/takes/hello-world.mp3?seconds=12.4', own);
    expect(heard.seconds).toBe(12.4);
    expect(heard.text).toBe('takes hello world mp');
    const again = soundOf('https://media.example.com/a.wav', own);
    expect(again).toEqual(soundOf('https://media.example.com/a.wav', own));
    expect(again.seconds).toBeGreaterThanOrEqual(2);
    expect(again.seconds).toBeLessThan(20);
  });
});
