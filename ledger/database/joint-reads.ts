/** A read on its way to the database. */
export interface Read {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Column of a joint answer that says which read a line answers, from 1 on. */
const READ = 'joint_read';

/**
 * Several executions of one statement as a single one; undefined if their values are of kinds that no list can have, or
 * all the same. Each statement that is sent costs both sides more than the lines that it finds. Values that all
 * executions share stay parameters, so that a batch is looked up as before; the others become columns of a list, and
 * the statement runs for each of its lines. `offset 0` keeps the planner from turning it around: it would walk a whole
 * batch that was just loaded, of which it has no statistics, once for each group.
 *
 * `reads`: at least two, with the same `sql`.
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

function kindOf(list: readonly unknown[]): 'text' | 'bigint' | undefined {
  if (list.every((value) => typeof value === 'string')) return 'text';
  return list.every((value) => Number.isSafeInteger(value)) ? 'bigint' : undefined;
}

/** The lines for each of so many reads. */
export function splitAnswer(lines: readonly unknown[], reads: number): readonly (readonly unknown[])[] {
  const answers = Array.from({ length: reads }, (): unknown[] => []);
  for (const line of lines) {
    const { [READ]: read, ...own } = line as Readonly<Record<string, unknown>>;
    answers[Number(read) - 1]?.push(own);
  }
  return answers;
}
