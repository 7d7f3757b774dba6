/** Something that must not come out of damaged input. */
export class Finding extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Finding';
  }
}

/** Refuses what is no length: one that is no number, infinite, negative, or longer than `most`. */
export function requireLength(what: string, value: number | null | undefined, most: number): void {
  if (value === undefined || value === null) return;
  if (!(value >= 0 && value <= most)) throw new Finding(`${what} is ${value}`);
}
