import { write, type Db } from './schema.ts';

/**
 * Reads, changes and writes the state of a limiter as one transaction. The state must survive JSON.
 */
export async function updateLimiter<T, R>(
  db: Db,
  scope: string,
  change: (state: T | undefined) => { readonly state: T; readonly result: R },
): Promise<R> {
  return write(db, async (tx) => {
    const line = await tx.selectFrom('limiters').select('state').where('scope', '=', scope).executeTakeFirst();
    const { state, result } = change(line === undefined ? undefined : (JSON.parse(line.state) as T));
    const json = JSON.stringify(state);
    await tx
      .insertInto('limiters')
      .values({ scope, state: json })
      .onConflict((conflict) => conflict.column('scope').doUpdateSet({ state: json }))
      .execute();
    return result;
  });
}

/** The state as JSON; undefined if there is none. For callers that cannot hand over a function. */
export async function readLimiter(db: Db, scope: string): Promise<string | undefined> {
  const line = await db.selectFrom('limiters').select('state').where('scope', '=', scope).executeTakeFirst();
  return line?.state;
}

/** Writes the state if it is still what it was. Returns false, and changes nothing, if it is not. */
export async function replaceLimiter(
  db: Db,
  scope: string,
  before: string | undefined,
  state: string,
): Promise<boolean> {
  return write(db, async (tx) => {
    const line = await tx.selectFrom('limiters').select('state').where('scope', '=', scope).executeTakeFirst();
    if (line?.state !== before) return false;
    await tx
      .insertInto('limiters')
      .values({ scope, state })
      .onConflict((conflict) => conflict.column('scope').doUpdateSet({ state }))
      .execute();
    return true;
  });
}
