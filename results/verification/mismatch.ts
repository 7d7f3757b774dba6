/** A count, hash or sum that does not add up, or something that is missing. */
export interface Mismatch {
  /** The file, the row, or the sum. */
  readonly where: string;
  readonly expected: string;
  readonly got: string;
}

/** Formats a mismatch as one human-readable line. */
export function describeMismatch({ where, expected, got }: Mismatch): string {
  return `${where}: expected ${expected}, found ${got}`;
}

/** Max mismatches kept; further ones are only counted, because losing one big file could yield millions. */
const MAX_KEPT = 1_000;

/** Collects the mismatches that are found while an out folder is written or checked. */
export class Findings {
  readonly #kept: Mismatch[] = [];
  #dropped = 0;

  /** Adds a mismatch. `where`: the file, the row or the sum. */
  add(where: string, expected: string | number, got: string | number): void {
    if (this.#kept.length < MAX_KEPT) this.#kept.push({ where, expected: String(expected), got: String(got) });
    else this.#dropped += 1;
  }

  /** Adds a mismatch if the two differ. */
  compare(where: string, expected: string | number, found: string | number): void {
    if (expected !== found) this.add(where, expected, found);
  }

  /** Adds a mismatch if the two sums differ by more than floating-point noise. */
  compareCredits(where: string, expected: number, found: number): void {
    if (Math.abs(expected - found) > Math.max(1e-6, Math.abs(expected) * 1e-9)) {
      this.add(where, `${expected} credits`, `${found} credits`);
    }
  }

  /** Returns the mismatches found so far; a last entry counts those that were not kept. */
  list(): readonly Mismatch[] {
    if (this.#dropped === 0) return [...this.#kept];
    return [...this.#kept, { where: 'further mismatches', expected: 'none', got: String(this.#dropped) }];
  }
}
