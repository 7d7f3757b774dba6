import type { Writable } from 'node:stream';
import { encoderOf } from '../encoders.ts';
import { clockSeconds, fileArgument, FfmpegFailed, runFfmpeg } from '../ffmpeg.ts';
import { probeSound, type SoundFormat } from '../probe-sound.ts';
import { addChapters } from './add-chapters.ts';
import { CannotJoin, chaptersOf, type JoinedSound, type JoinPart } from './join-request.ts';

/** Samples on their way from one run to the other: 16 bits, as every encoder takes them. */
const SAMPLE_BYTES = 2;
/** CPU seconds to encode all parts: a book of 50 hours takes about one hour. */
const MOST_SECONDS = 4 * 3_600;
/** Seconds by the clock after which joining has ended. */
export const MOST_JOINING_SECONDS = clockSeconds(MOST_SECONDS);
/** Bytes of silence at once. */
const PIECE_BYTES = 64 * 1024;

/**
 * Joins files of any kind: each one is decoded to samples, at the rate and channels of the first one, and all of them
 * are encoded in one go, into the first one's type. So nothing lies between them that was not asked for, and the number
 * of samples alone makes the length.
 */
export async function joinByFfmpeg(parts: readonly JoinPart[], out: string, program: string): Promise<JoinedSound> {
  const [first] = parts;
  const encoder = encoderOf(first?.extension ?? '');
  if (first === undefined || encoder === undefined) {
    throw new CannotJoin(`Expected sound to join, but ${first?.path ?? 'there is none'} is of another type.`);
  }
  const format = await naming(first, probeSound(first.path, program));
  const block = SAMPLE_BYTES * format.channels;
  const starts: number[] = [];
  let samples = 0;
  await runFfmpeg({
    program,
    mostSeconds: MOST_SECONDS,
    args: [...samplesOf(format), '-i', 'pipe:0', ...encoder.args, fileArgument(out)],
    onInput: async (input) => {
      for (const part of parts) {
        starts.push(samples / format.rate);
        samples += Math.floor((await decodeInto(part, format, program, input)) / block);
        const pause = Math.round(((part.pauseMs ?? 0) / 1_000) * format.rate);
        for (const piece of silence(pause * block)) await write(input, piece);
        samples += pause;
      }
      input.end();
    },
  });
  const joined = { extension: encoder.extension, seconds: samples / format.rate, starts };
  await addChapters(chaptersOf(parts, joined), { path: out, muxer: encoder.muxer, rate: format.rate, program });
  return joined;
}

function samplesOf({ rate, channels }: SoundFormat): readonly string[] {
  return ['-f', 's16le', '-ar', String(rate), '-ac', String(channels)];
}

/** Passes the samples of a part on. Returns their bytes. */
async function decodeInto(part: JoinPart, format: SoundFormat, program: string, input: Writable): Promise<number> {
  let bytes = 0;
  const decoded = runFfmpeg({
    program,
    args: ['-i', fileArgument(part.path), '-map', '0:a:0', ...samplesOf(format), '-bitexact', 'pipe:1'],
    onOutput: async (output) => {
      for await (const piece of output as AsyncIterable<Buffer>) {
        bytes += piece.length;
        await write(input, piece);
      }
    },
  });
  try {
    await naming(part, decoded);
  } catch (error) {
    // The encoder has ended: that is what broke, and it says why.
    if (!input.destroyed) throw error;
    await write(input, Buffer.alloc(1));
  }
  return bytes;
}

/** By hand, because every pipeline leaves listeners on what it writes to, and there may be 10,000 parts. */
function write(input: Writable, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    input.write(piece, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

function* silence(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(PIECE_BYTES);
  for (let left = bytes; left > 0; left -= PIECE_BYTES) yield left >= PIECE_BYTES ? piece : piece.subarray(0, left);
}

/** Says which file it was that ffmpeg could not read. */
async function naming<T>(part: JoinPart, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof FfmpegFailed)) throw error;
    throw new CannotJoin(`${part.path} cannot be joined to the others: ${error.message}.`, { cause: error });
  }
}
