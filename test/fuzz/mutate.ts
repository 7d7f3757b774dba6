import type { Chance } from '../chaos/seeded.ts';

/** Numbers at which lengths and counts break: none, one, the last with and without a sign, all bits. */
const ODD = [0, 1, 2, 7, 8, 15, 16, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

type Change = (bytes: Buffer, chance: Chance, others: readonly Buffer[]) => Buffer;

const CHANGES: readonly Change[] = [
  (bytes, chance) => {
    bytes[at(bytes, chance)] = Math.floor(chance() * 256);
    return bytes;
  },
  (bytes, chance) => {
    const place = at(bytes, chance);
    bytes[place] = (bytes[place] ?? 0) ^ (1 << Math.floor(chance() * 8));
    return bytes;
  },
  (bytes, chance) => writeOdd(bytes, chance),
  (bytes, chance) => writeOdd(bytes, chance),
  (bytes, chance) => bytes.subarray(0, at(bytes, chance)),
  (bytes, chance) => {
    const [from, to] = range(bytes, chance);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  (bytes, chance) => {
    const [from, to] = range(bytes, chance);
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  },
  (bytes, chance) => {
    const [from, to] = range(bytes, chance);
    return bytes.fill(chance() < 0.5 ? 0 : 0xff, from, to);
  },
  (bytes, chance, others) => {
    const other = pick(others, chance);
    const [from, to] = range(other, chance);
    const place = at(bytes, chance);
    return Buffer.concat([bytes.subarray(0, place), other.subarray(from, to), bytes.subarray(place)]);
  },
];

/** A copy with one to six changes: bytes, lengths at the edges, cuts, repetitions, pieces of the others. */
export function mutate(original: Buffer, chance: Chance, others: readonly Buffer[]): Buffer {
  let bytes: Buffer = Buffer.from(original);
  for (let changes = 1 + Math.floor(chance() * 6); changes > 0 && bytes.length > 0; changes -= 1) {
    bytes = pick(CHANGES, chance)(bytes, chance, others);
  }
  return bytes;
}

/** One of several. */
export function pick<T>(values: readonly T[], chance: Chance): T {
  return values[Math.floor(chance() * values.length)] as T;
}

/** Half of the changes are near the front: that is where headers are. */
function at(bytes: Buffer, chance: Chance): number {
  const length = chance() < 0.5 ? bytes.length : Math.min(bytes.length, 200);
  return Math.floor(chance() * length);
}

function range(bytes: Buffer, chance: Chance): readonly [number, number] {
  const from = at(bytes, chance);
  return [from, Math.min(bytes.length, from + 1 + Math.floor(chance() * 64))];
}

function writeOdd(bytes: Buffer, chance: Chance): Buffer {
  const value = pick(ODD, chance);
  const place = at(bytes, chance);
  if (place + 4 > bytes.length) return bytes;
  if (value > 0xffff || chance() < 0.5) {
    if (chance() < 0.5) bytes.writeUInt32BE(value, place);
    else bytes.writeUInt32LE(value, place);
  } else if (value > 0xff) {
    if (chance() < 0.5) bytes.writeUInt16BE(value, place);
    else bytes.writeUInt16LE(value, place);
  } else bytes[place] = value;
  return bytes;
}
