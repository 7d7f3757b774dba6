import type { CompiledQuery, Compilable, DialectAdapter, Kysely } from 'kysely';
import type { Db, Tx } from '../schema.ts';
import { joinReads, splitAnswer } from './joint-reads.ts';
import { unitAdapterOf } from './unit-adapter.ts';
import type { Table } from '../tables/columns.ts';

/** A placeholder in a query for a value that is given with each execution. */
class Parameter {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A query that is built and compiled once, on its first execution, and afterwards only receives its parameters.
 * Building and compiling takes several times as long as SQLite takes to answer.
 *
 * `build` gets a placeholder for each parameter, which it passes on as a value and must not inspect. `subjectOf`: what
 * the answer is about, so that a unit of work can prefetch and keep it (see `unit-of-work.ts`). Default: each execution
 * queries the database.
 */
export function prepared<P extends object, R>(
  build: (db: Db | Tx, parameters: P) => Compilable<R>,
  subjectOf?: SubjectOf<P>,
): (db: Db | Tx, parameters: P) => Promise<readonly R[]> {
  return compiledOnce(build, 'all', subjectOf);
}

/** Like {@link prepared}, for a query of at most one line, which takes half as long. Resolves with that line. */
export function preparedOne<P extends object, R>(
  build: (db: Db | Tx, parameters: P) => Compilable<R>,
  subjectOf?: SubjectOf<P>,
): (db: Db | Tx, parameters: P) => Promise<R | undefined> {
  const read = compiledOnce(build, 'one', subjectOf);
  return async (db, parameters) => (await read(db, parameters))[0];
}

/**
 * Like {@link prepared}, for a read by key that is executed for each of many keys. Returns all lines, in order of the
 * keys. On PostgreSQL the executions are joined into one statement.
 *
 * Not a list of keys in one condition (`row in (…)`): PostgreSQL uses one plan for all batches, and if most batches are
 * small, or a new one is not analyzed yet, that plan would scan all rows of the batch.
 */
export function preparedEach<P extends object, R>(
  build: (db: Db | Tx, parameters: P) => Compilable<R>,
): (tx: Tx, all: readonly P[]) => Promise<readonly R[]> {
  const bind = boundOnce(build);
  return async (tx, all) => {
    const reads = all.map((parameters) => bind(tx, parameters));
    const [first, ...others] = reads.map(({ compiled, values }) => ({ sql: compiled.sql, values }));
    // Only a database server saves round trips by it.
    const isJoint = unitAdapterOf(tx) !== undefined && first !== undefined && others.length > 0;
    const joint = isJoint ? joinReads([first, ...others]) : undefined;
    if (reads[0] !== undefined && joint !== undefined) {
      const lines = await execute(tx, { ...reads[0].compiled, sql: joint.sql }, joint.values);
      return splitAnswer(lines, reads.length).flat() as R[];
    }
    const found: R[] = [];
    for (const { compiled, values } of reads) found.push(...(await execute(tx, compiled, values)));
    return found;
  };
}

/**
 * Like {@link prepared}, for a statement that inserts, updates or deletes one line of `table`, and changes only answers
 * about `subjectsOf` its parameters. Each parameter has the name of the column that it is a value of. Returns no
 * answer.
 */
export function preparedWrite<P extends object>(
  table: Table,
  build: (db: Db | Tx, parameters: P) => Compilable,
  subjectsOf: (parameters: P) => readonly string[],
): (tx: Tx, parameters: P) => Promise<void> {
  const bind = boundOnce(build);
  return async (tx, parameters) => {
    const { compiled, values, names } = bind(tx, parameters);
    if (tx.unit === undefined) await execute(tx, compiled, values);
    else tx.unit.write(subjectsOf(parameters), { sql: compiled.sql, values, names, table });
  };
}

/** Names what an answer is about, such as `row:b/5`. */
type SubjectOf<P> = (parameters: P) => string;

function compiledOnce<P extends object, R>(
  build: (db: Db | Tx, parameters: P) => Compilable<R>,
  count: 'one' | 'all',
  subjectOf?: SubjectOf<P>,
): (db: Db | Tx, parameters: P) => Promise<readonly R[]> {
  const bind = boundOnce(build);
  return async (db, parameters) => {
    const { compiled, values } = bind(db, parameters);
    const unit = 'unit' in db ? db.unit : undefined;
    if (unit === undefined || subjectOf === undefined) return execute(db, compiled, values, count);
    return unit.read(subjectOf(parameters), compiled.sql, values) as Promise<readonly R[]>;
  };
}

/** Compiles a query on first use, per kind of database; then only puts in the values. */
function boundOnce<P extends object, R>(
  build: (db: Db | Tx, parameters: P) => Compilable<R>,
): (db: Db | Tx, parameters: P) => Bound<R> {
  const known = new Map<unknown, Pick<Bound<R>, 'compiled' | 'names'>>();
  return (db, parameters) => {
    const { constructor: kind } = db.getExecutor().adapter;
    let query = known.get(kind);
    if (query === undefined) {
      const compiled = build(db, PLACEHOLDERS as P).compile();
      const names = compiled.parameters.map((value) => (value instanceof Parameter ? value.name : undefined));
      query = { compiled, names };
      known.set(kind, query);
    }
    const given = parameters as Readonly<Record<string, unknown>>;
    const { compiled, names } = query;
    const values = names.map((name, at) => (name === undefined ? compiled.parameters[at] : given[name]));
    return { compiled, names, values };
  };
}

/** A compiled query with the values of one execution. */
interface Bound<R> {
  readonly compiled: CompiledQuery<R>;
  readonly values: readonly unknown[];
  /** The parameter of each value; undefined for a value that is the same in all executions. */
  readonly names: readonly (string | undefined)[];
}

/** Has a placeholder for whatever parameter `build` reads. */
const PLACEHOLDERS = new Proxy({}, { get: (_, name) => new Parameter(String(name)) });

/** Adapter of a database that answers synchronously, as SQLite does. */
export interface DirectAdapter extends DialectAdapter {
  /**
   * Executes a statement on the only connection, which the caller must hold. `count` limits the lines returned; `one`
   * is only for reads.
   */
  executeNow(sql: string, parameters: readonly unknown[], count: 'one' | 'all'): readonly unknown[];
}

/** A database, or a transaction on it. */
type Executing = Pick<Kysely<unknown>, 'isTransaction' | 'getExecutor' | 'executeQuery'>;

/**
 * Executes a compiled statement. Inside a transaction the connection is held, so a synchronous database needs none of
 * the dozen promises that Kysely would add: they took longer than the answer.
 */
export async function execute<R>(
  db: Executing,
  compiled: CompiledQuery<R>,
  parameters: readonly unknown[],
  count: 'one' | 'all' = 'all',
): Promise<readonly R[]> {
  const { adapter } = db.getExecutor();
  if (db.isTransaction && isDirect(adapter)) return adapter.executeNow(compiled.sql, parameters, count) as readonly R[];
  const { rows } = await db.executeQuery<R>({ ...compiled, parameters });
  return rows;
}

function isDirect(adapter: DialectAdapter): adapter is DirectAdapter {
  return 'executeNow' in adapter;
}

/** A new line of a table with every column in the table's order, so that all inserts have the same SQL. */
export function allOf<Line extends object>({ columns }: Table, given: Line): Line {
  return Object.fromEntries(Object.keys(columns).map((name) => [name, given[name as keyof Line]])) as Line;
}
