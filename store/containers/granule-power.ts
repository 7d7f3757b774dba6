import { readBits, sideLayout, type MpegHeader } from './mpeg-frame.ts';

/** Frequency lines of a granule. */
const LINES = 576;
/** Bits that values above 15 have besides, by Huffman table from 16 on (ISO/IEC 11172-3, table 3-B.7). */
const LINBITS = [1, 2, 3, 4, 6, 8, 10, 13, 4, 5, 6, 7, 8, 9, 11, 13];
/** Power of a granule in which one line is 1: 0.5 in the mean, measured with a decoder; twice that to be safe. */
const POWER_OF_LINE = 1;
/** Highest value of the tables before. */
const HIGHEST = [0, 1, 2, 2, 0, 3, 3, 5, 5, 5, 7, 7, 7, 15, 0, 15];

/** The most power that each moment of a frame can have, as a mean over the channels: 1 is full scale. Unknown outside layer III: infinite. */
export function granulePowers(head: Buffer, header: MpegHeader): readonly number[] {
  if (header.layer !== 3) return [Infinity];
  const { start, granuleBits, granules } = sideLayout(header);
  const channels = header.isMono ? 1 : 2;
  if (head.length * 8 < start + granules * granuleBits) return [Infinity];
  return Array.from({ length: granules / channels }, (_, moment) => {
    let power = 0;
    for (let channel = 0; channel < channels; channel += 1) {
      power += mostPower(head, start + (moment * channels + channel) * granuleBits, header.isVersion1);
    }
    return power / channels;
  });
}

/** The most power of a granule whose side information begins at this bit. */
function mostPower(head: Buffer, at: number, isVersion1: boolean): number {
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

function highestOf(table: number): number {
  return HIGHEST[table] ?? 15 + 2 ** (LINBITS[table - 16] ?? 13) - 1;
}
