import type { Container } from './container.ts';

/** Behind the name of the format: the header of the first block, then its rate (20 bits), …, number of samples (36 bits). */
const FIGURES_AT = 18;
const FIGURES_BYTES = 8;

/**
 * How long a FLAC file plays, in seconds, as its first block states it; undefined if it does not, as in a stream. Its
 * frames do not tell it for sure: one has no length, and something like the start of one may be within another.
 */
export async function statedFlacSeconds({ file }: Container): Promise<number | undefined> {
  const figures = await file.read(FIGURES_AT, FIGURES_BYTES);
  if (figures.length < FIGURES_BYTES) return undefined;
  const rate = figures.readUIntBE(0, 3) >> 4;
  const samples = (figures.readUInt8(3) & 0x0f) * 2 ** 32 + figures.readUInt32BE(4);
  return rate === 0 || samples === 0 ? undefined : samples / rate;
}
