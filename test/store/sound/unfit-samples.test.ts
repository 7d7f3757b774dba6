import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { unfitSamples } from '../../../store/containers/check-wav.ts';
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
