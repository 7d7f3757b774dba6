import type { Outcome, RowState } from '../../contract/outcomes.ts';
import type { ReportHead } from '../../contract/report.ts';

/** Max reasons distinguished; rows with further ones are only counted. */
const MAX_GROUPS = 200;
/** Max example rows of a reason. */
const MAX_EXAMPLES = 3;

/** A row without a result that has a failure. */
interface FailedRow {
  readonly id: string;
  /** Its outcome, or its state while it is open. */
  readonly standing: Outcome | RowState;
  readonly class: string;
  /** What distinguishes failures of a class, such as an error code or status; may be empty. */
  readonly cause: string;
  readonly message: string;
}

interface Group {
  readonly standing: Outcome | RowState;
  readonly class: string;
  readonly cause: string;
  rows: number;
  readonly examples: { readonly id: string; readonly message: string }[];
  /** Messages of the examples, without numbers: rows whose messages differ only in numbers are no further examples. */
  readonly seen: Set<string>;
}

/** Groups rows without a result by failure class and cause, each group with some examples, for the report. */
export class FailureGroups {
  readonly #groups = new Map<string, Group>();
  #others = 0;

  add({ id, standing, class: name, cause, message }: FailedRow): void {
    const key = JSON.stringify([standing, name, cause]);
    let group = this.#groups.get(key);
    if (group === undefined) {
      if (this.#groups.size >= MAX_GROUPS) {
        this.#others += 1;
        return;
      }
      group = { standing, class: name, cause, rows: 0, examples: [], seen: new Set() };
      this.#groups.set(key, group);
    }
    group.rows += 1;
    if (group.examples.length >= MAX_EXAMPLES) return;
    const shape = withoutNumbers(message);
    if (group.seen.has(shape)) return;
    group.seen.add(shape);
    group.examples.push({ id, message });
  }

  /** Returns the groups, those with most rows first. */
  view(): Pick<ReportHead, 'failures' | 'otherFailures'> {
    const failures = [...this.#groups.values()]
      .sort((one, other) => other.rows - one.rows)
      .map(({ seen: _, ...group }) => group);
    return { failures, otherFailures: this.#others };
  }
}

/** Replaces each word with a digit in it. */
function withoutNumbers(message: string): string {
  return message
    .split(' ')
    .map((word) => (/\d/.test(word) ? '#' : word))
    .join(' ');
}
