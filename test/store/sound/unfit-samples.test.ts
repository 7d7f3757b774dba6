import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { unfitSamples } from '../../../store/containers/check-wav.ts';
import { SampleMeter } from '../../../store/sound/sample-meter.ts';
import type { Unfitness } from '../../../store/unfit.ts';

const RATE = 24_000;
const FORMAT = { coding: 1, channels: 1, rate: RATE, bytesPerSecond: RATE * 2, block: 2, bits: 16 };

/** Judges samples of -1 to 1; louder ones are cut off. Counts the pieces that were read. */
async function judge(values: readonly number[]): Promise<{ unfit: Unfitness | undefined; read: number }> {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [at, value] of values.entries()) {
    bytes.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768))), at * 2);
  }
  let read = 0;
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += 65_536) {
      read += 1;
      yield await Promise.resolve(bytes.subarray(at, at + 65_536));
    }
  }
  const unfit = await unfitSamples(pieces(), FORMAT);
  return { unfit, read };
}

/** A vowel with its overtones, in syllables, with pauses between them. */
function speech(seconds: number, { peak = 0.3, silence = 0 } = {}): number[] {
  return Array.from({ length: Math.round((seconds + silence) * RATE) }, (_, at) => {
    const time = at / RATE - silence;
    if (time < 0) return 0;
    const loudness = Math.max(0, Math.sin(2 * Math.PI * 2.5 * time));
    const wave = [1, 0.6, 0.4, 0.2, 0.1].reduce((sum, part, n) => sum + part * Math.sin(750 * (n + 1) * time), 0);
    return (peak * loudness * wave) / 1.6;
  });
}

describe('the samples of speech', () => {
  it('pass, however soft, loud or late they are, and little is read of them', async () => {
    const any = fc.record({
      peak: fc.double({ min: 0.02, max: 6, noNaN: true }),
      silence: fc.integer({ min: 0, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(any, async (how) => {
        expect(await judge(speech(1, how))).toMatchObject({ unfit: undefined });
      }),
      { numRuns: 30 },
    );
    expect(await judge(speech(20))).toEqual({ unfit: undefined, read: 1 });
  });

  it('do not pass as noise that nobody hears, or as anything that is cut off nearly always', async () => {
    const noise = (loudness: number): number[] =>
      Array.from({ length: RATE * 3 }, (_, at) => loudness * Math.sin(at * at * 0.37));
    expect(await judge(noise(0.002))).toMatchObject({ unfit: 'silent' });
    expect(await judge(noise(0.02))).toMatchObject({ unfit: undefined });
    expect(await judge(Array.from({ length: RATE }, (_, at) => (at % 240 < 120 ? 2 : -2)))).toMatchObject({
      unfit: 'clipped throughout',
    });
  });
});

describe('the levels of samples', () => {
  type Put = (bytes: Buffer, value: number, at: number) => unknown;
  it.each<[string, number, number, number, Put]>([
    ['8 bits', 1, 8, 1, (bytes, value, at) => bytes.writeUInt8(Math.round(128 + value * 127), at)],
    ['16 bits', 1, 16, 1, (bytes, value, at) => bytes.writeInt16LE(Math.round(value * 32_767), at)],
    ['24 bits', 1, 24, 1, (bytes, value, at) => bytes.writeIntLE(Math.round(value * 8_388_607), at, 3)],
    ['32 bits', 1, 32, 2, (bytes, value, at) => bytes.writeInt32LE(Math.round(value * 2_147_483_647), at)],
    ['fractions', 3, 32, 2, (bytes, value, at) => bytes.writeFloatLE(value, at)],
    ['fractions of 64 bits', 3, 64, 1, (bytes, value, at) => bytes.writeDoubleLE(value, at)],
  ])('are read from %s, in pieces of any size', (_, coding, bits, channels, put) => {
    const [bytes, block] = [bits / 8, (bits / 8) * channels];
    const body = Buffer.alloc(RATE * block);
    // Half a second of silence, a tone, a quarter of silence.
    for (let at = 0; at < RATE; at += 1) {
      const value = at >= RATE / 2 && at < (RATE * 3) / 4 ? 0.4 * Math.sin(at) : 0;
      for (let channel = 0; channel < channels; channel += 1) put(body, value, at * block + channel * bytes);
    }
    const meter = SampleMeter.of({ coding, channels, rate: RATE, bytesPerSecond: RATE * block, block, bits });
    for (let at = 0; at < body.length; at += 1_001) meter?.add(body.subarray(at, at + 1_001));
    const [peak, near] = [expect.closeTo(0.4, 1), (seconds: number): unknown => expect.closeTo(seconds, 1)];
    expect(meter?.end()).toEqual({ seconds: 1, peak, leadingSilence: near(0.5), trailingSilence: near(0.25) });
  });

  it('are numbers, whatever fractions there are', () => {
    const samples = Buffer.alloc(4 * 1_600);
    [Number.NaN, Infinity, -Infinity, 3e38, -3e38].forEach((value, at) => samples.writeFloatLE(value, at * 4));
    const meter = SampleMeter.of({ ...FORMAT, coding: 3, bits: 32, block: 4 });
    meter?.add(samples);
    for (const value of Object.values(meter?.end() ?? {})) expect(Number.isFinite(value)).toBe(true);
  });

  it('are cut off at full scale, but not where a wave touches it once', () => {
    const shareOf = (loudness: number): number | undefined => {
      const meter = SampleMeter.of(FORMAT);
      const samples = Int16Array.from({ length: RATE }, (_, at) =>
        Math.max(-32_768, Math.min(32_767, Math.round(32_768 * loudness * Math.sin(at / 9)))),
      );
      meter?.add(Buffer.from(samples.buffer));
      return meter?.clippedShare;
    };
    expect(shareOf(0.9995)).toBeLessThan(0.05);
    // It is below it for 2 * asin(1/4) / pi of a wave.
    expect(shareOf(4)).toBeCloseTo(1 - (2 * Math.asin(0.25)) / Math.PI, 1);
  });
});
