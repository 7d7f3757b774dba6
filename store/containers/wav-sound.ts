import type { FileWindow } from './file-window.ts';

/** Content of a WAV file's `fmt ` chunk. */
export interface WavFormat {
  /** 1 for integer samples, 3 for floating point; any other coding is not examined. */
  readonly coding: number;
  readonly channels: number;
  /** Samples per second and channel. */
  readonly rate: number;
  /** Declared bytes per second; 0 if not declared. */
  readonly bytesPerSecond: number;
  /** Bytes of one sample across all channels. */
  readonly block: number;
  /** Bits of one sample of one channel. */
  readonly bits: number;
}

/** Location of a WAV file's audio data. */
export interface WavSound {
  /** Undefined if the file has no usable `fmt ` chunk. */
  readonly format: WavFormat | undefined;
  /** Offset of the audio data. */
  readonly start: number;
  /** Bytes of audio data: as stated, or the rest of the file if no length is stated. */
  readonly bytes: number;
  /** False if the file states no length, as streams do. */
  readonly isStated: boolean;
  /** Duration in seconds, if it can be derived. */
  readonly seconds: number | undefined;
}

/** Lengths from here on mean "unknown": programs that cannot seek back to the header write them. */
export const UNKNOWN_LENGTH = 0x7fff_f000;

/**
 * Finds the audio of a WAV file by walking its chunks (name, little-endian length, content padded to an even length).
 * Undefined if there is none.
 */
export async function findWavSound(file: FileWindow): Promise<WavSound | undefined> {
  let format: WavFormat | undefined;
  let samples = 0;
  // The first chunk follows `RIFF`, a length and `WAVE`.
  for (let at = 12; at + 8 <= file.bytes;) {
    const header = await file.read(at, 8);
    const name = header.toString('latin1', 0, 4);
    const size = header.readUInt32LE(4);
    const start = at + 8;
    if (name === 'fmt ') format = readFormat(await file.read(start, Math.min(size, 40)));
    // Samples per channel, for codings where the byte count does not tell; often 0 in streams.
    if (name === 'fact' && size >= 4) samples = (await file.read(start, 4)).readUInt32LE(0);
    if (name === 'data') {
      const there = file.bytes - start;
      const isStated = size < UNKNOWN_LENGTH && (size !== 0 || there === 0);
      const bytes = isStated ? size : there;
      return { format, start, bytes, isStated, seconds: secondsOf(format, bytes, isStated ? samples : 0) };
    }
    at = start + size + (size % 2);
  }
  return undefined;
}

/**
 * Returns the duration in seconds: exact for plain samples; otherwise from the stated number of samples (per channel),
 * or from the byte rate, which is often rounded.
 */
function secondsOf(format: WavFormat | undefined, bytes: number, samples: number): number | undefined {
  if (format === undefined) return undefined;
  const { rate, block, bytesPerSecond } = format;
  if (isPlain(format)) return rate === 0 ? undefined : bytes / (rate * block);
  if (samples > 0 && samples < UNKNOWN_LENGTH && rate > 0) return samples / rate;
  return bytesPerSecond === 0 ? undefined : bytes / bytesPerSecond;
}

/** Whether the audio is uncompressed samples. */
export function isPlain({ coding }: WavFormat): boolean {
  return coding === 1 || coding === 3;
}

/** Parses a `fmt ` chunk; undefined if it is too short. */
function readFormat(format: Buffer): WavFormat | undefined {
  if (format.length < 16) return undefined;
  // Format 0xFFFE keeps the real one in its extension.
  const tag = format.readUInt16LE(0);
  const coding = tag === 0xfffe && format.length >= 26 ? format.readUInt16LE(24) : tag;
  return {
    coding,
    channels: format.readUInt16LE(2),
    rate: format.readUInt32LE(4),
    bytesPerSecond: format.readUInt32LE(8),
    block: Math.max(1, format.readUInt16LE(12)),
    bits: format.readUInt16LE(14),
  };
}
