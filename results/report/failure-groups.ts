import type { Outcome, RowState } from '../../contract/outcomes.ts';
import type { ReportHead } from '../../contract/report.ts';

/** Reasons that are told apart. */
const MOST_GROUPS = 200;
/** Examples of a reason. */
const MOST_EXAMPLES = 3;

/** A row in trouble. */
interface FailedRow {
  readonly id: string;
  readonly standing: Outcome | RowState;
  readonly class: string;
  readonly cause: string;
  readonly message: string;
}

interface Group {
  readonly standing: Outcome | RowState;
  readonly class: string;
  readonly cause: string;
  rows: number;
  readonly examples: { readonly id: string; readonly message: string }[];
  /** Their messages without what differs from row to row. */
  readonly seen: Set<string>;
}

/** Groups rows without a result by their reason, each with some examples. */
export class FailureGroups {
  readonly #groups = new Map<string, Group>();
  #others = 0;

  add({ id, standing, class: name, cause, message }: FailedRow): void {
    const key = JSON.stringify([standing, name, cause]);
    let group = this.#groups.get(key);
    if (group === undefined) {
      if (this.#groups.size >= MOST_GROUPS) {
        this.#others += 1;
        return;
      }
      group = { standing, class: name, cause, rows: 0, examples: [], seen: new Set() };
      this.#groups.set(key, group);
    }
    group.rows += 1;
    if (group.examples.length >= MOST_EXAMPLES) return;
    const same = withoutNumbers(message);
    if (group.seen.has(same)) return;
    group.seen.add(same);
    group.examples.push({ id, message });
  }

  /** Most rows first. */
  view(): Pick<ReportHead, 'failures' | 'otherFailures'> {
    const failures = [...this.#groups.values()]
      .sort((one, other) => other.rows - one.rows)
      .map(({ seen: _, ...group }) => group);
    return { failures, otherFailures: this.#others };
  }
}

function withoutNumbers(message: string): string {
  return message
    .split(' ')
    .map((word) => (/\d/.test(word) ? '#' : word))
    .join(' ');
}
