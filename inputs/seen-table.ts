import { hash } from 'node:crypto';

/** Number of parts, which grow one at a time to keep the peak low: a growing part exists twice. */
const PARTS = 32;
/** Slots of a new part. */
const SLOTS_AT_START = 16;
/** Max load factor; beyond it a part grows by {@link GROWTH}. */
const MAX_LOAD = 0.8;
/** Factor by which a full part grows. */
const GROWTH = 1.5;
const TWO_TO_32 = 2 ** 32;

/**
 * Maps millions of names to a number each (a line, a count) without keeping the names: 64 bits of their hash and 32
 * bits of value in flat arrays with open addressing, 15 to 23 bytes a name. Among a million names, two different ones
 * collide with a probability of about 3 in 10^8.
 */
export class SeenTable {
  readonly #parts = new Map<number, Part>();
  /** The name that was hashed last, because a name is often looked up and then set. */
  #last: { readonly name: string; readonly hash: readonly [high: number, low: number] } | undefined;

  /** Returns the number of a name, if it has one. */
  get(name: string): number | undefined {
    const [high, low] = this.#hashOf(name);
    const value = this.#partOf(low).get(high, low);
    return value === 0 ? undefined : value;
  }

  /** Sets the number of a name. It must be positive. */
  set(name: string, value: number): void {
    const [high, low] = this.#hashOf(name);
    this.#partOf(low).set(high, low, value);
  }

  /** Returns the line that had the name before; sets this line and returns undefined if there is none. */
  lineBefore(name: string, line: number): number | undefined {
    const [high, low] = this.#hashOf(name);
    const part = this.#partOf(low);
    const earlier = part.get(high, low);
    if (earlier !== 0) return earlier;
    part.set(high, low, line);
    return undefined;
  }

  #hashOf(name: string): readonly [high: number, low: number] {
    if (this.#last?.name !== name) this.#last = { name, hash: hashOf(name) };
    return this.#last.hash;
  }

  #partOf(low: number): Part {
    const number = low % PARTS;
    let part = this.#parts.get(number);
    if (part === undefined) {
      part = new Part();
      this.#parts.set(number, part);
    }
    return part;
  }
}

/** One of the parts: a hash table with open addressing. */
class Part {
  /** Three numbers a slot: high and low half of the hash, and the value; 0 marks a free slot, so values start at 1. */
  #slots = new Uint32Array(SLOTS_AT_START * 3);
  #size = 0;

  /** Returns a value; 0 if there is none. */
  get(high: number, low: number): number {
    return this.#slots[this.#placeOf(high, low) + 2] ?? 0;
  }

  set(high: number, low: number, value: number): void {
    let at = this.#placeOf(high, low);
    if (this.#slots[at + 2] === 0) {
      this.#size += 1;
      if (this.#size * 3 > this.#slots.length * MAX_LOAD) {
        this.#grow();
        at = this.#placeOf(high, low);
      }
    }
    this.#put(at, high, low, value);
  }

  #put(at: number, high: number, low: number, value: number): void {
    this.#slots[at] = high;
    this.#slots[at + 1] = low;
    this.#slots[at + 2] = value;
  }

  /** Returns the index of the slot where a hash is, or where it would be added. */
  #placeOf(high: number, low: number): number {
    const slots = this.#slots;
    let at = Math.floor((high / TWO_TO_32) * (slots.length / 3)) * 3;
    while (slots[at + 2] !== 0 && (slots[at] !== high || slots[at + 1] !== low)) at = (at + 3) % slots.length;
    return at;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(Math.ceil((before.length / 3) * GROWTH) * 3);
    for (let at = 0; at < before.length; at += 3) {
      const [high, low, value] = [before[at] ?? 0, before[at + 1] ?? 0, before[at + 2] ?? 0];
      if (value !== 0) this.#put(this.#placeOf(high, low), high, low, value);
    }
  }
}

/** Returns the first 64 bits of a name's sha256, as two numbers. */
function hashOf(name: string): [high: number, low: number] {
  const hex = hash('sha256', name, 'hex');
  return [Number.parseInt(hex.slice(0, 8), 16), Number.parseInt(hex.slice(8, 16), 16)];
}
