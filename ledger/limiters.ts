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
