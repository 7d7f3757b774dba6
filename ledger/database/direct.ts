import type { CompiledQuery, DialectAdapter, Kysely } from 'kysely';

/** Adapter of a database that answers synchronously. */
export interface DirectAdapter extends DialectAdapter {
  /** Executes a statement on the only connection, which the caller must hold. `most`: the lines wanted, of a statement that changes nothing. */
  executeNow(sql: string, parameters: readonly unknown[], most: 'one' | 'all'): readonly unknown[];
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
  most: 'one' | 'all' = 'all',
): Promise<readonly R[]> {
  const { adapter } = db.getExecutor();
  if (db.isTransaction && isDirect(adapter)) return adapter.executeNow(compiled.sql, parameters, most) as readonly R[];
  const { rows } = await db.executeQuery<R>({ ...compiled, parameters });
  return rows;
}

function isDirect(adapter: DialectAdapter): adapter is DirectAdapter {
  return 'executeNow' in adapter;
}
