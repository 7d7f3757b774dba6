import { findWavSound, isPlain, type WavFormat, type WavSound } from '../../containers/wav-sound.ts';
import { cueChunks } from './chapters.ts';
import { CannotJoin, chaptersOf, readAlike, type JoinPart } from './join-parts.ts';
import { NewFile, withFile } from './new-file.ts';

/** Lengths in a WAV file have 32 bits, and some programs read them with a sign. */
const MAX_BYTES = 0x7fff_0000;
const MAX_BYTES_PER_SECOND = 0xffff_ffff;

/** Silence bytes of the telephone codings, which use one byte per sample. */
const TELEPHONE: Readonly<Record<number, number>> = { 6: 0xd5, 7: 0xff };

/** A parsed file. */
interface WavPart extends JoinPart {
  readonly sound: WavSound;
  readonly format: WavFormat;
}

/**
 * Joins WAV files of one format by copying their samples into a new file (`out`: its absolute path). Pauses are rounded
 * to whole samples. Throws {@link CannotJoin}.
 */
export async function joinWav(files: readonly JoinPart[], out: string): Promise<void> {
  const parts = await readAlike(files, readPart, ({ format }) => describe(format));
  const { format } = parts[0];
  const lengths = parts.map(({ sound }) => sound.bytes - (sound.bytes % format.block));
  const pauses = parts.map(({ pauseMs = 0 }) => Math.round((pauseMs / 1_000) * format.rate) * format.block);
  let total = 0;
  const starts = lengths.map((length, at) => {
    const start = total / format.block / format.rate;
    total += length + (pauses[at] ?? 0);
    return start;
  });
  if (total > MAX_BYTES) {
    throw new CannotJoin(
      `Expected less than 2 GiB of samples, but these ${parts.length} WAV files have ${total} bytes.`,
    );
  }
  const cues = cueChunks(chaptersOf(parts, starts, total / format.block / format.rate), format.rate);
  const silence = Buffer.alloc(format.block, silenceOf(format));
  await NewFile.write(out, async (file) => {
    await file.append(wavHeader(format, total, cues.length));
    for (const [at, { path, sound }] of parts.entries()) {
      await withFile(path, async (source) => {
        const end = sound.start + (lengths[at] ?? 0);
        for await (const piece of source.pieces(sound.start, end)) await file.append(piece);
      });
      await file.repeat(silence, (pauses[at] ?? 0) / format.block);
    }
    await file.append(Buffer.concat([Buffer.alloc(total % 2), cues]));
  });
}

/** Parses a file. Returns why it cannot be joined, as the end of a sentence, if so. */
async function readPart(part: JoinPart): Promise<WavPart | string> {
  return withFile(part.path, async (file) => {
    const sound = await findWavSound(file);
    const { format } = sound ?? {};
    const isWhole = sound !== undefined && sound.start + sound.bytes <= file.bytes;
    if (!isWhole || format === undefined || silenceOf(format) === undefined)
      return 'is not whole, or not made of plain samples';
    // A header states bytes a second, in 32 bits.
    if (format.rate === 0 || format.rate * format.block > MAX_BYTES_PER_SECOND)
      return `has an impossible rate of ${format.rate} samples a second`;
    return { ...part, sound, format };
  });
}

/** Describes what must be the same in all files. */
function describe({ coding, rate, channels, bits }: WavFormat): string {
  return `${rate} Hz, ${channels} channel${channels === 1 ? '' : 's'}, ${bits} bits, coding ${coding}`;
}

/** Returns the byte that encodes silence; undefined for codings without one. */
function silenceOf(format: WavFormat): number | undefined {
  if (!isPlain(format)) return TELEPHONE[format.coding];
  return format.bits === 8 ? 0x80 : 0;
}

/** Returns the header of a WAV file with so many bytes of samples, and so many of chunks after them (`behind`). */
export function wavHeader(
  { coding, channels, rate, block, bits }: Omit<WavFormat, 'bytesPerSecond'>,
  bytes: number,
  behind: number,
): Buffer {
  const buffer = Buffer.alloc(44);
  buffer.write('RIFF', 0, 'latin1');
  buffer.writeUInt32LE(36 + bytes + (bytes % 2) + behind, 4);
  buffer.write('WAVEfmt ', 8, 'latin1');
  buffer.writeUInt32LE(16, 16);
  buffer.writeUInt16LE(coding, 20);
  buffer.writeUInt16LE(channels, 22);
  buffer.writeUInt32LE(rate, 24);
  buffer.writeUInt32LE(rate * block, 28);
  buffer.writeUInt16LE(block, 32);
  buffer.writeUInt16LE(bits, 34);
  buffer.write('data', 36, 'latin1');
  buffer.writeUInt32LE(bytes, 40);
  return buffer;
}
