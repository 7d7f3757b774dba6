import type { ManifestProblem } from '../../contract/manifest-problems.ts';

/** Lines that a problem names. */
const MOST_LINES = 3;

/** Names told apart; a manifest with more has something else in that column. */
const MOST_NAMES = 1_000;

interface Known {
  rows: number;
  readonly lines: number[];
}

/** Makes one problem of the rows whose speaker is the same name that the cast does not have. */
export class UnknownSpeakers {
  readonly #known = new Map<string, Known>();

  /** Whether a problem repeats an earlier one; if so, its row is counted there. */
  repeats(problem: ManifestProblem): boolean {
    if (problem.code !== 'unknown-speaker') return false;
    const key = keyOf(problem);
    const known = this.#known.get(key);
    if (known === undefined) {
      if (this.#known.size < MOST_NAMES) this.#known.set(key, { rows: 1, lines: [problem.line] });
      return false;
    }
    known.rows += 1;
    if (known.lines.length < MOST_LINES) known.lines.push(problem.line);
    return true;
  }

  /** A problem with how many rows have it, and the first lines. */
  counted(problem: ManifestProblem): ManifestProblem {
    const known = problem.code === 'unknown-speaker' ? this.#known.get(keyOf(problem)) : undefined;
    if (known === undefined || known.rows === 1) return problem;
    const { rows, lines } = known;
    const more = rows > lines.length ? ', …' : '';
    return { ...problem, got: `${problem.got} (in ${String(rows)} rows: lines ${lines.join(', ')}${more})` };
  }
}

function keyOf({ file, got }: ManifestProblem): string {
  return JSON.stringify([file, got]);
}
