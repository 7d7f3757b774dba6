/** A file to be joined to others. */
export interface JoinPart {
  /** Absolute. */
  readonly path: string;
  /** Its type, without a dot. */
  readonly extension: string;
  /** Silence after it, in milliseconds. Default 0. */
  readonly pauseMs?: number | undefined;
  /** Title of the chapter that starts with it. By default none does. */
  readonly title?: string | undefined;
}

/** A chapter of a file, in milliseconds from its start. */
export interface Chapter {
  readonly title: string;
  readonly startMs: number;
  /** When the next chapter begins, or the file ends. */
  readonly endMs: number;
}

/** The files cannot be joined. The message names the mismatched ones. */
export class CannotJoin extends Error {
  override readonly name = 'CannotJoin';
}

/**
 * Returns the chapters of a joined file. `starts`: when each part begins, in seconds; `seconds`: the total duration.
 */
export function chaptersOf(parts: readonly JoinPart[], starts: readonly number[], seconds: number): Chapter[] {
  const begun = parts.flatMap(({ title }, at) => (title === undefined ? [] : [{ title, start: starts[at] ?? 0 }]));
  return begun.map(({ title, start }, at) => ({
    title,
    startMs: Math.round(start * 1_000),
    endMs: Math.round((begun[at + 1]?.start ?? seconds) * 1_000),
  }));
}

/**
 * Reads files, and requires that they can be concatenated unchanged. Throws {@link CannotJoin}.
 *
 * @param read returns a parsed file, or the problem with it, such as `has no sound`
 * @param describe returns the format of a file, which must be the same for all
 */
export async function readAlike<Part extends JoinPart>(
  parts: readonly JoinPart[],
  read: (part: JoinPart) => Promise<Part | string>,
  describe: (part: Part) => string,
): Promise<readonly [Part, ...Part[]]> {
  const found: Part[] = [];
  for (const part of parts) {
    const one = await read(part);
    if (typeof one === 'string') throw differs(part, one);
    const [first = one] = found;
    if (describe(first) !== describe(one))
      throw differs(part, `has ${describe(one)}, and the first one ${describe(first)}`);
    found.push(one);
  }
  const [first, ...others] = found;
  if (first === undefined) throw new CannotJoin('Expected files to join, but there is none.');
  return [first, ...others];
}

function differs({ path }: JoinPart, what: string): CannotJoin {
  return new CannotJoin(`Only files of one format can be joined: ${path} ${what}.`);
}
