import type { Column, Table } from '../tables/columns.ts';

/** A statement that inserts, updates or deletes one line of a table. */
export interface LineWrite {
  readonly table: Table;
  /** PostgreSQL, with each value as a parameter (`$1`, …) that occurs once. */
  readonly sql: string;
  readonly values: readonly unknown[];
  /** The column of each value; undefined for a value that is the same in each execution. */
  readonly names: readonly (string | undefined)[];
}

/** A statement on its way to the database. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * A queue of writes. Executions of the same statement are joined into one, because each statement costs both sides more
 * than the line that it changes.
 *
 * A write may overtake writes of other lines: no statement here reads, and the triggers' additions to counts and sums
 * do not depend on their order. Writes of the same line keep their order.
 */
export class JointWrites {
  readonly #waiting: LineWrite[][] = [];
  /** Index in `#waiting` at which each statement was last added. */
  readonly #lastOfStatement = new Map<string, number>();
  /** Index in `#waiting` at which each line was last written, by table and key. */
  readonly #lastOfLine = new Map<Table, Map<string, number>>();

  /** Queues a write. */
  add(write: LineWrite): void {
    const lines = this.#linesOf(write.table);
    const line = lineOf(write);
    const lastWrite = lines.get(line) ?? -1;
    let at = this.#lastOfStatement.get(write.sql) ?? -1;
    // Not the same index either: one statement cannot change a line twice.
    if (at <= lastWrite) at = this.#waiting.push([]) - 1;
    this.#waiting[at]?.push(write);
    this.#lastOfStatement.set(write.sql, at);
    lines.set(line, at);
  }

  /**
   * Empties the queue and returns its statements. If it throws, the queue stays as it is, so that no commit lacks a
   * write.
   */
  take(): readonly Statement[] {
    const taken = this.#waiting.map(joinWrites);
    this.#waiting.length = 0;
    this.#lastOfStatement.clear();
    this.#lastOfLine.clear();
    return taken;
  }

  #linesOf(table: Table): Map<string, number> {
    const known = this.#lastOfLine.get(table);
    if (known !== undefined) return known;
    const lines = new Map<string, number>();
    this.#lastOfLine.set(table, lines);
    return lines;
  }
}

function lineOf({ table, names, values }: LineWrite): string {
  return JSON.stringify(table.key.map((column) => values[names.indexOf(column)]));
}

/**
 * Joins executions of one statement (`writes`: at least one, with the same `sql`) into a single one: the values of each
 * column become a list, from whose lines the statement inserts, or whose lines it updates or deletes.
 */
function joinWrites(writes: readonly LineWrite[]): Statement {
  const [first, ...others] = writes;
  if (first === undefined || others.length === 0) return first ?? { sql: '', values: [] };
  const values: unknown[] = [];
  const types: string[] = [];
  const columns: string[] = [];
  const places = first.names.map((name, at) => {
    const place = `$${String(values.push(name === undefined ? first.values[at] : writes.map((one) => one.values[at])))}`;
    if (name === undefined) return place;
    types.push(`${place}::${LISTS[typeOf(first.table, name)]}[]`);
    const column = `c${String(at + 1)}`;
    columns.push(column);
    return `k.${column}`;
  });
  const body = first.sql.replace(/\$(\d+)/g, (_, number) => places[Number(number) - 1] ?? '');
  const list = `unnest(${types.join(', ')}) as k(${columns.join(', ')})`;
  const sql = body.startsWith('insert ')
    ? body.replace(/values \(([^()]*)\)/, (_, line: string) => `select ${line} from ${list}`)
    : body.replace(' where ', () => ` ${body.startsWith('delete ') ? 'using' : 'from'} ${list} where `);
  return { sql, values };
}

/** The type of a list for each type of column: it can hold any value of the column, and null. */
const LISTS: Readonly<Record<Column['type'], string>> = {
  text: 'text',
  integer: 'bigint',
  bigint: 'bigint',
  'double precision': 'double precision',
};

function typeOf({ columns }: Table, name: string): Column['type'] {
  const column = columns[name];
  if (column === undefined) throw new Error(`Expected ${name} to be a column.`);
  return column.type;
}
