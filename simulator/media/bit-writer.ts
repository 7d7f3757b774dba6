/** Collects bits, most significant first, as MPEG audio and H.264 write them. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #free = 0;

  /** Appends the lowest `count` bits of `value`. */
  bits(value: number, count: number): this {
    for (let bit = count - 1; bit >= 0; bit--) {
      if (this.#free === 0) {
        this.#bytes.push(0);
        this.#free = 8;
      }
      this.#free--;
      const last = this.#bytes.length - 1;
      this.#bytes[last] = (this.#bytes[last] ?? 0) | (((value >>> bit) & 1) << this.#free);
    }
    return this;
  }

  /** Appends an unsigned Exp-Golomb code (H.264, 9.1). */
  ue(value: number): this {
    const length = 32 - Math.clz32(value + 1);
    return this.bits(0, length - 1).bits(value + 1, length);
  }

  /** Fills the current byte with zero bits. */
  align(): this {
    this.#free = 0;
    return this;
  }

  toBuffer(): Buffer {
    return Buffer.from(this.#bytes);
  }
}
