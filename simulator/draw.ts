import type { Dialect } from '../contract/dialects.ts';
import { SHAPES, type Dimension, type FixedShape, type Variant } from './shapes.ts';

/** Hashes its parts to 32 bits, the same on every machine (FNV-1a with a final mix). */
export function hashOf(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const part of parts) {
    const text = String(part);
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ 0xff, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * The seeded random numbers of one request, from which the form of its answer is drawn: the same seed and the same
 * order of requests give the same answers. (The generator is mulberry32, a published 32-bit generator; good enough for
 * shapes and durations, not for secrets.)
 */
export class Draw {
  #state: number;
  readonly #fixed: FixedShape;
  /** Dialect of the request. */
  readonly dialect: Dialect;

  constructor(seed: number, fixed: FixedShape = {}, dialect: Dialect = 'v1') {
    this.dialect = dialect;
    this.#state = seed >>> 0;
    this.#fixed = fixed;
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a number between the bounds, uniformly distributed. */
  uniform(low: number, high: number): number {
    return low + (high - low) * this.fraction();
  }

  /** Returns a log-normally distributed number, with 90 % of them between the bounds: most are small, a few large. */
  lognormal(low: number, high: number): number {
    const bottom = Math.log(Math.max(low, 1));
    const top = Math.log(Math.max(high, 1));
    const normal = Math.sqrt(-2 * Math.log(1 - this.fraction())) * Math.cos(2 * Math.PI * this.fraction());
    return Math.exp((bottom + top) / 2 + (normal * (top - bottom)) / (2 * 1.645));
  }

  /** Returns true or false with equal chance. */
  coin(): boolean {
    return this.fraction() < 0.5;
  }

  /** Returns the variant of one dimension of the answer: the fixed one, or a drawn one. Draws in either case. */
  shape<D extends Dimension>(dimension: D): Variant<D> {
    const variants: readonly Variant<D>[] = SHAPES[dimension];
    const drawn = variants[Math.floor(this.fraction() * variants.length)];
    const chosen = (this.#fixed[dimension] as Variant<D> | undefined) ?? drawn;
    if (chosen === undefined) throw new Error(`no variant of ${dimension}`);
    return chosen;
  }
}
