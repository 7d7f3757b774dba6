import type { WavFormat } from '../containers/wav-sound.ts';
import type { Unfitness } from '../unfit.ts';
import { SampleMeter } from './sample-meter.ts';

/** Speech at four times its usual level does not reach this share of cut samples; noise and broken coding do. */
const MOST_CLIPPED = 1 / 2;
/** Bytes that are measured before the next look: a quarter of a second of most speech. */
const STEP_BYTES = 8_192;

/**
 * What is wrong with plain samples: nothing in them can be heard, or most of them are cut off. Stops at the first sound that is neither, so that it
 * costs next to nothing for a good file. Undefined for samples that are not plain.
 */
export async function unfitSamples(pieces: AsyncIterable<Buffer>, format: WavFormat): Promise<Unfitness | undefined> {
  const meter = SampleMeter.of(format);
  if (meter === undefined) return undefined;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += STEP_BYTES) {
      meter.add(piece.subarray(at, at + STEP_BYTES));
      if (meter.hasSound && meter.clippedShare <= MOST_CLIPPED) return undefined;
    }
  }
  meter.end();
  if (!meter.hasSound) return 'silent';
  return meter.clippedShare > MOST_CLIPPED ? 'clipped throughout' : undefined;
}
