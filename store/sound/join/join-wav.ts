import type { WavFormat } from '../../containers/wav-sound.ts';
import { NewFile, withFile } from './new-file.ts';
import { CannotJoin, chaptersOf, type JoinedSound } from './join-request.ts';
import { silenceOf, type WavPart } from './plan-wav.ts';
import { cueChunks } from './wav-chapters.ts';

/** Lengths in a WAV file have 32 bits, and some programs read them with a sign. */
const MOST_BYTES = 0x7fff_0000;

/** Joins them, sample for sample; pauses are rounded to whole samples. */
export async function joinWav(parts: readonly WavPart[], out: string): Promise<JoinedSound> {
  const [first] = parts;
  if (first === undefined) throw new CannotJoin('Expected files to join, but there is none.');
  const { format } = first;
  const lengths = parts.map(({ sound }) => sound.bytes - (sound.bytes % format.block));
  const pauses = parts.map(({ pauseMs = 0 }) => Math.round((pauseMs / 1_000) * format.rate) * format.block);
  let total = 0;
  const starts = lengths.map((length, at) => {
    const start = total / format.block / format.rate;
    total += length + (pauses[at] ?? 0);
    return start;
  });
  if (total > MOST_BYTES) {
    throw new CannotJoin(
      `Expected less than 2 GiB of samples, but these ${parts.length} WAV files have ${total} bytes.`,
    );
  }
  const joined = { extension: 'wav', seconds: total / format.block / format.rate, starts };
  const cues = cueChunks(chaptersOf(parts, joined), format.rate);
  const silence = Buffer.alloc(format.block, silenceOf(format));
  await NewFile.write(out, async (file) => {
    await file.append(header(format, total, cues.length));
    for (const [at, { path, sound }] of parts.entries()) {
      await withFile(path, async (source) => {
        const end = sound.start + (lengths[at] ?? 0);
        for await (const piece of source.pieces(sound.start, end)) await file.append(piece);
      });
      await file.repeat(silence, (pauses[at] ?? 0) / format.block);
    }
    await file.append(Buffer.concat([Buffer.alloc(total % 2), cues]));
  });
  return joined;
}

/** The start of a file of this format, with so many bytes of samples, and of other chunks behind them. */
function header({ coding, channels, rate, block, bits }: WavFormat, bytes: number, behind: number): Buffer {
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
