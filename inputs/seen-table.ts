import { hash } from 'node:crypto';

const SLOTS_AT_START = 1024;

/**
 * Remembers a number (a line, a count) for each of millions of names without holding the names: 64 bits of their hash
 * and 32 bits of value in flat arrays with open addressing, 16 to 32 bytes a name. Two different names are taken for one
 * with a probability of about 3 in 10^8 among a million.
 */
export class SeenTable {
  #high = new Uint32Array(SLOTS_AT_START);
  #low = new Uint32Array(SLOTS_AT_START);
  /** 0 marks a free slot, so values start at 1. */
  #value = new Uint32Array(SLOTS_AT_START);
  #size = 0;

  /** The number remembered for the name, if any. */
  get(name: string): number | undefined {
    const [high, low] = hashOf(name);
    const value = this.#value[this.#slotOf(high, low)] ?? 0;
    return value === 0 ? undefined : value;
  }

  /** Remembers a positive number for the name. */
  set(name: string, value: number): void {
    if (this.#size * 4 >= this.#value.length * 3) this.#grow();
    const [high, low] = hashOf(name);
    const slot = this.#slotOf(high, low);
    if (this.#value[slot] === 0) this.#size++;
    this.#put(slot, high, low, value);
  }

  /** The line that had the name before, if any; else remembers this one. */
  lineBefore(name: string, line: number): number | undefined {
    const earlier = this.get(name);
    if (earlier === undefined) this.set(name, line);
    return earlier;
  }

  #put(slot: number, high: number, low: number, value: number): void {
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#value[slot] = value;
  }

  #slotOf(high: number, low: number): number {
    const mask = this.#value.length - 1;
    let slot = low & mask;
    while (this.#value[slot] !== 0 && (this.#high[slot] !== high || this.#low[slot] !== low)) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [highs, lows, values] = [this.#high, this.#low, this.#value];
    this.#high = new Uint32Array(values.length * 2);
    this.#low = new Uint32Array(values.length * 2);
    this.#value = new Uint32Array(values.length * 2);
    values.forEach((value, slot) => {
      const [high, low] = [highs[slot] ?? 0, lows[slot] ?? 0];
      if (value !== 0) this.#put(this.#slotOf(high, low), high, low, value);
    });
  }
}

function hashOf(name: string): [high: number, low: number] {
  const hex = hash('sha256', name, 'hex');
  return [Number.parseInt(hex.slice(0, 8), 16), Number.parseInt(hex.slice(8, 16), 16)];
}
