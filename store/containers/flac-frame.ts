/** Bytes of the longest header of a frame. */
export const FLAC_HEADER_BYTES = 16;

/** What the first block of a FLAC file says (RFC 9639, section 8.2). */
export interface FlacInfo {
  /** Samples a second, of each channel; 0 if it holds no sound. */
  readonly rate: number;
  /** Samples of each channel; 0 if it does not say. */
  readonly samples: number;
}

/** Reads the content of the first block; undefined if it is cut off. */
export function readFlacInfo(block: Buffer): FlacInfo | undefined {
  if (block.length < 34) return undefined;
  // 20 bits of rate, 3 of channels, 5 of bits, 36 of samples.
  return {
    rate: block.readUIntBE(10, 3) >> 4,
    samples: (block.readUInt8(13) & 0x0f) * 2 ** 32 + block.readUInt32BE(14),
  };
}

/**
 * Samples of each channel in the frame that begins here (RFC 9639, section 9.1); undefined if none does. A header has a
 * checksum of its own, so hardly anything else passes for one.
 */
export function flacFrameSamples(head: Buffer): number | undefined {
  if (head.length < 6 || head.readUInt16BE(0) >> 1 !== 0b111_1111_1111_1100) return undefined;
  const [sizeCode, rateCode] = [head.readUInt8(2) >> 4, head.readUInt8(2) & 0x0f];
  const numberBytes = codedBytes(head.readUInt8(4));
  if (sizeCode === 0 || rateCode === 15 || numberBytes === undefined) return undefined;
  const sizeAt = 4 + numberBytes;
  const sizeBytes = sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0;
  const end = sizeAt + sizeBytes + (rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0);
  if (head.length <= end || checksum8(head.subarray(0, end)) !== head[end]) return undefined;
  if (sizeBytes > 0) return head.readUIntBE(sizeAt, sizeBytes) + 1;
  if (sizeCode === 1) return 192;
  return sizeCode < 6 ? 144 * 2 ** sizeCode : 2 ** sizeCode;
}

/** Bytes of a number that is written as characters are in UTF-8, but up to seven bytes long. */
function codedBytes(first: number): number | undefined {
  const ones = Math.clz32(~(first << 24));
  return ones === 1 || ones > 7 ? undefined : Math.max(1, ones);
}

function checksum8(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum << 1) ^ (sum & 0x80 ? 0x107 : 0);
  }
  return sum;
}

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) sum = (sum << 1) ^ (sum & 0x8000 ? 0x1_8005 : 0);
  return sum;
});

/** The checksum of a frame, with one more byte. Behind a whole frame, its own checksum included, it is 0. */
export function flacChecksum(sum: number, byte: number): number {
  return ((sum << 8) & 0xffff) ^ (TABLE[(sum >> 8) ^ byte] ?? 0);
}
