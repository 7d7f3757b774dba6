import type { FileWindow } from '../../containers/file-window.ts';
import { findWavSound, isPlain, type WavFormat, type WavSound } from '../../containers/wav-sound.ts';
import type { JoinPart } from './join-request.ts';
import { withFile } from './new-file.ts';
import { planAlike, type JoinPlan } from './plan-alike.ts';

/** Telephone codings: a byte a sample, and the byte of silence. */
const TELEPHONE: Readonly<Record<number, number>> = { 6: 0xd5, 7: 0xff };

const MOST_BYTES_PER_SECOND = 0xffff_ffff;

/** A WAV file that goes into a joined one. */
export interface WavPart extends JoinPart {
  readonly sound: WavSound;
  readonly format: WavFormat;
}

/** Finds out whether WAV files have one format, and samples that can be put behind each other. */
export function planWav(parts: readonly JoinPart[]): Promise<JoinPlan<WavPart>> {
  return planAlike(parts, readPart, ({ format }) => describe(format));
}

async function readPart(part: JoinPart): Promise<WavPart | string> {
  const sound = await withFile(part.path, findWholeSound);
  const { format } = sound ?? {};
  if (sound === undefined || format === undefined || silenceOf(format) === undefined)
    return 'is not whole, or not made of plain samples';
  // A header states bytes a second, in 32 bits.
  if (format.rate === 0 || format.rate * format.block > MOST_BYTES_PER_SECOND)
    return `has an impossible rate of ${format.rate} samples a second`;
  return { ...part, sound, format };
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
