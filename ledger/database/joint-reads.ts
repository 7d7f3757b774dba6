/** One execution of a PostgreSQL read statement, with `$1`, `$2`, … as parameters. */
export interface Read {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Column of a joint answer with the number, from 1, of the read that a line answers. */
const READ = 'joint_read';

/**
 * Joins several executions of one statement (`reads`: the same `sql`) into a single one, because each statement that is
 * sent costs both sides more than the lines that it finds. Returns undefined if all values are the same, or if the
 * values of some parameter that differ are neither all text nor all integers.
 *
 * Values that all executions share stay parameters, so that the planner still uses the index for a single batch. The
 * others become columns of a list, and the statement runs for each line of the list (`lateral`). `offset 0` keeps the
 * planner from reversing that join: it would scan a whole batch that was just loaded, of which it has no statistics.
 */
export function joinReads(reads: readonly [Read, ...Read[]]): Read | undefined {
  const [first] = reads;
  const values: unknown[] = [];
  const lists: unknown[][] = [];
  const names = first.values.map((value, at) => {
    const all = reads.map((read) => read.values[at]);
    if (all.every((other) => other === value)) return `$${String(values.push(value))}`;
    return `k.c${String(lists.push(all))}`;
  });
  const kinds = lists.map(kindOf);
  if (kinds.length === 0 || kinds.includes(undefined)) return undefined;
  const types = kinds.map((kind, at) => `$${String(values.length + at + 1)}::${kind ?? ''}[]`);
  const columns = [...lists.map((_, at) => `c${String(at + 1)}`), 'n'].join(', ');
  const body = first.sql.replace(/\$(\d+)/g, (_, number) => names[Number(number) - 1] ?? '');
  const sql = `select k.n as ${READ}, t.* from unnest(${types.join(', ')}) with ordinality as k(${columns}), lateral (${body} offset 0) as t`;
  return { sql, values: [...values, ...lists] };
}

/** The type of a list that can hold these values; undefined if there is none. */
function kindOf(list: readonly unknown[]): 'text' | 'bigint' | undefined {
  if (list.every((value) => typeof value === 'string')) return 'text';
  return list.every((value) => Number.isSafeInteger(value)) ? 'bigint' : undefined;
}

/** Splits the lines of a joint answer into the lines of each of its `reads` (their number). */
export function splitAnswer(lines: readonly unknown[], reads: number): readonly (readonly unknown[])[] {
  const answers = Array.from({ length: reads }, (): unknown[] => []);
  for (const line of lines) {
    const { [READ]: read, ...own } = line as Readonly<Record<string, unknown>>;
    answers[Number(read) - 1]?.push(own);
  }
  return answers;
}
