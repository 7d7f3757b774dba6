import { SILENCE_RMS } from '../sound/sample-meter.ts';
import { incomplete, CompleteButUnfit, type Container } from '../unfit.ts';
import { eachFrame, readBits, sideLayout, type MpegFrame } from './mpeg-frame.ts';

/**
 * Walks an MP3 file frame by frame. Returns its duration in seconds: the sum of its frames, which includes the few
 * hundredths that encoders add at both ends. Throws `UnfitBody` if its last frame is cut off, foreign bytes lie between
 * frames, or it has fewer frames than it declares; `CompleteButUnfit` if it has none, or only inaudible ones.
 *
 * A file without a `Xing` header that was cut exactly between two frames is a complete, shorter file. Only a declared
 * length can reveal the cut.
 */
export async function checkMp3(container: Container): Promise<number> {
  const { file } = container;
  let start = file.bytes;
  let [frames, seconds, isSilent] = [0, 0, true];
  let info: MpegFrame['info'];
  await eachFrame(container, ({ at, head, frame }) => {
    start = Math.min(start, at);
    // Concatenated recordings have a `Xing` header each; only one at the very front describes the file.
    if (frames === 0) info ??= frame.info;
    if (frame.info !== undefined) return;
    frames += 1;
    seconds += frame.seconds;
    // Powers are computed up to the first audible frame only, so a good file costs next to nothing.
    isSilent &&= frame.isSilent || granulePowers(head, frame.header).every((power) => power <= SILENCE_RMS ** 2);
  });
  const there = file.bytes - start;
  const stated = info?.bytes ?? 0;
  if (stated > there)
    throw incomplete(container, `it says that its sound has ${stated} bytes, and only ${there} are there`);
  // Some encoders also count the frame with the `Xing` header.
  const counted = info?.frames ?? 0;
  if (counted > frames + 1) {
    throw incomplete(container, `it says that it has ${counted} frames, and only ${frames} are there`);
  }
  if (frames === 0) throw new CompleteButUnfit('without sound');
  if (isSilent) throw new CompleteButUnfit('silent', seconds);
  return seconds;
}

/** Frequency lines of a granule: half a frame in version 1, a whole one in others. */
const LINES = 576;
/** Extra bits (linbits) of values above 15, by Huffman table from 16 on (ISO/IEC 11172-3, table 3-B.7). */
const LINBITS = [1, 2, 3, 4, 6, 8, 10, 13, 4, 5, 6, 7, 8, 9, 11, 13];
/**
 * Power of a granule in which one frequency line has the value 1, and all others 0: 0.5 on average, measured with a
 * decoder; doubled to be safe.
 */
const POWER_OF_LINE = 1;
/** Highest value in Huffman tables 0 to 15 (table 3-B.7). */
const HIGHEST = [0, 1, 2, 2, 0, 3, 3, 5, 5, 5, 7, 7, 7, 15, 0, 15];

/**
 * Upper bound of the power of each granule of a frame, averaged over the channels; 1 is full scale. Infinite outside
 * layer III, where it is unknown.
 */
function granulePowers(head: Buffer, header: MpegFrame['header']): readonly number[] {
  if (header.layer !== 3) return [Infinity];
  const { start, granuleBits, granules } = sideLayout(header);
  const channels = header.isMono ? 1 : 2;
  if (head.length * 8 < start + granules * granuleBits) return [Infinity];
  return Array.from({ length: granules / channels }, (_, moment) => {
    let power = 0;
    for (let channel = 0; channel < channels; channel += 1) {
      power += maxPower(head, start + (moment * channels + channel) * granuleBits, header.isVersion1);
    }
    return power / channels;
  });
}

/**
 * Upper bound of the power of the granule whose side information starts at this bit. A decoder turns a value of a
 * frequency line into `value ** (4 / 3) * 2 ** ((gain - 210) / 4)`, which scale factors can only lower (ISO/IEC
 * 11172-3, 2.4.3.4, requantization). The power is the square of that.
 */
function maxPower(head: Buffer, at: number, isVersion1: boolean): number {
  // Bits of its data, pairs of large values, gain; then the coding of scale factors: 4 bits in version 1, 9 in others.
  const bits = readBits(head, at, 12);
  if (bits === 0) return 0;
  const large = Math.min(LINES, readBits(head, at + 12, 9) * 2);
  const gain = 2 ** ((readBits(head, at + 21, 8) - 210) / 4);
  const tables = at + 29 + (isVersion1 ? 4 : 9);
  // With switched windows there are two regions, behind the kind of window; otherwise three.
  const isSwitched = readBits(head, tables, 1) === 1;
  const [from, regions] = isSwitched ? [tables + 4, 2] : [tables + 1, 3];
  let highest = 0;
  for (let region = 0; region < regions; region += 1) {
    highest = Math.max(highest, highestOf(readBits(head, from + region * 5, 5)));
  }
  // Each value that is not zero has a bit for its sign at least. Values behind the large ones are 1 at most.
  const loud = Math.min(large, bits);
  const soft = Math.min(LINES - large, bits - loud);
  return (loud * highest ** (8 / 3) + soft) * gain ** 2 * POWER_OF_LINE;
}

/** Returns the highest value that a Huffman table can encode. */
function highestOf(table: number): number {
  return HIGHEST[table] ?? 15 + 2 ** (LINBITS[table - 16] ?? 13) - 1;
}
