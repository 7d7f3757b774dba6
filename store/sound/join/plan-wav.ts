import type { FileWindow } from '../../containers/file-window.ts';
import { findWavSound, isPlain, type WavFormat, type WavSound } from '../../containers/wav-sound.ts';
import type { JoinPart } from './join-request.ts';
import { withFile } from './new-file.ts';

/** Telephone codings: a byte a sample, and the byte of silence. */
const TELEPHONE: Readonly<Record<number, number>> = { 6: 0xd5, 7: 0xff };

/** A WAV file that goes into a joined one. */
export interface WavPart extends JoinPart {
  readonly sound: WavSound;
  readonly format: WavFormat;
}

/** WAV files that can be joined sample by sample, or which of them does not fit, in words. */
export type WavPlan =
  | { readonly type: 'fits'; readonly parts: readonly WavPart[] }
  | { readonly type: 'differs'; readonly part: JoinPart; readonly what: string };

/** Finds out whether WAV files have one format, and samples that can be put behind each other. */
export async function planWav(parts: readonly JoinPart[]): Promise<WavPlan> {
  const planned: WavPart[] = [];
  for (const part of parts) {
    const sound = await withFile(part.path, findWholeSound);
    const { format } = sound ?? {};
    if (sound === undefined || format === undefined || silenceOf(format) === undefined) {
      return { type: 'differs', part, what: 'is not whole, or not made of plain samples' };
    }
    const [first] = planned;
    if (first !== undefined && describe(first.format) !== describe(format)) {
      return { type: 'differs', part, what: `has ${describe(format)}, and the first one ${describe(first.format)}` };
    }
    planned.push({ ...part, sound, format });
  }
  return { type: 'fits', parts: planned };
}

async function findWholeSound(file: FileWindow): Promise<WavSound | undefined> {
  const sound = await findWavSound(file);
  return sound === undefined || sound.start + sound.bytes > file.bytes ? undefined : sound;
}

function describe({ coding, rate, channels, bits }: WavFormat): string {
  return `${rate} Hz, ${channels} channel${channels === 1 ? '' : 's'}, ${bits} bits, coding ${coding}`;
}

/** The byte of silence; undefined for codings of more than a sample at a time. */
export function silenceOf(format: WavFormat): number | undefined {
  if (!isPlain(format)) return TELEPHONE[format.coding];
  return format.bits === 8 ? 0x80 : 0;
}
