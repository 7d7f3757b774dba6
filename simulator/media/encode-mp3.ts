import { BitWriter } from './bit-writer.ts';
import { NOTE_SECONDS } from './melody.ts';

/**
 * A writer of real MPEG-1 Layer III frames that needs no encoder: each frame holds one tone.
 *
 * Layer III describes sound as 576 frequency lines (MDCT) per granule, two granules a frame. Here one line is 1 and all
 * others are 0, so everything in the frame is known beforehand and the frame has a fixed size. 48 kHz, mono, 32 kbit/s:
 * a frame lasts exactly 24 ms and has exactly 96 bytes, without padding. (Layout: ISO/IEC 11172-3, 2.4.1.)
 */
const FRAME_BYTES = 96;
const FRAME_SECONDS = 0.024;

/** Exponent of the amplitude: a line of 1 becomes 2^((gain - 210) / 4) of full scale. */
const GLOBAL_GAIN = 204;

const frames = new Map<number | null, Buffer>();

/** An MP3 file of a melody, or of digital silence if null. Its length is a whole number of 24 ms frames. */
export function encodeMp3(melody: readonly number[] | null, seconds: number): Buffer {
  const count = Math.round(seconds / FRAME_SECONDS);
  const perNote = Math.round(NOTE_SECONDS / FRAME_SECONDS);
  return Buffer.concat(
    Array.from({ length: count }, (_, index) =>
      frameOf(melody === null ? null : (melody[Math.floor(index / perNote)] ?? 10)),
    ),
  );
}

/** A frame with this single sounding line, or a silent one if null. */
function frameOf(line: number | null): Buffer {
  const known = frames.get(line);
  if (known !== undefined) return known;
  const frame = writeFrame(line);
  frames.set(line, frame);
  return frame;
}

function writeFrame(line: number | null): Buffer {
  const pairs = line === null ? 0 : Math.floor(line / 2) + 1;
  const data = [1, -1].map((sign) => (line === null ? [] : huffmanBits(line, sign)));
  const bits = new BitWriter();
  // Header: sync word, MPEG-1, Layer III, no CRC; 32 kbit/s, 48 kHz, no padding; mono.
  bits.bits(0xfffb, 16).bits(0x14, 8).bits(0xc0, 8);
  // Side information: main data begins in this frame, private bits, nothing shared between granules.
  bits.bits(0, 9).bits(0, 5).bits(0, 4);
  for (const { length } of data) {
    bits.bits(length, 12).bits(pairs, 9).bits(GLOBAL_GAIN, 8);
    // No scale factors; long blocks; Huffman table 1 in all three regions; region borders; no pre-emphasis; count1
    // table A.
    bits.bits(0, 4).bits(0, 1).bits(1, 5).bits(1, 5).bits(1, 5).bits(7, 4).bits(7, 3).bits(0, 3);
  }
  for (const part of data) for (const bit of part) bits.bits(bit, 1);
  return Buffer.concat([bits.toBuffer()], FRAME_BYTES);
}

/**
 * The lines of a granule in Huffman table 1, two lines a code: (0,0) is 1, (1,0) is 01, (0,1) is 001; a sign bit
 * follows a line of 1. The sign turns from granule to granule, which keeps the tone in phase.
 */
function huffmanBits(line: number, sign: number): number[] {
  const silence = Array.from({ length: Math.floor(line / 2) }, () => 1);
  const tone = line % 2 === 0 ? [0, 1] : [0, 0, 1];
  return [...silence, ...tone, sign < 0 ? 1 : 0];
}
