import type { CompiledQuery } from 'kysely';
import { type Compilable } from 'kysely';
import { execute } from './direct.ts';
import type { Db, Tx } from '../schema.ts';

/** Stands in a query for a value that comes with each execution. */
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
 * `build` gets a stand-in for each parameter, which it passes on as a value and does not inspect.
 */
export function prepared<P extends object, R>(
  build: (db: Db | Tx, parameters: P) => Compilable<R>,
): (db: Db | Tx, parameters: P) => Promise<readonly R[]> {
  return compiledOnce(build, 'all');
}

/** The same for a query of at most one line, which takes half as long. Undefined: there is none. */
export function preparedOne<P extends object, R>(
  build: (db: Db | Tx, parameters: P) => Compilable<R>,
): (db: Db | Tx, parameters: P) => Promise<R | undefined> {
  const read = compiledOnce(build, 'one');
  return async (db, parameters) => (await read(db, parameters))[0];
}

function compiledOnce<P extends object, R>(
  build: (db: Db | Tx, parameters: P) => Compilable<R>,
  most: 'one' | 'all',
): (db: Db | Tx, parameters: P) => Promise<readonly R[]> {
  let compiled: CompiledQuery<R> | undefined;
  return async (db, parameters) => {
    compiled ??= build(db, STAND_INS as P).compile();
    const given = parameters as Readonly<Record<string, unknown>>;
    const values = compiled.parameters.map((value) => (value instanceof Parameter ? given[value.name] : value));
    return execute(db, compiled, values, most);
  };
}

const STAND_INS = new Proxy({}, { get: (_, name) => new Parameter(String(name)) });
