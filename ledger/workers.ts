import type { Db } from './schema.ts';
import { write } from './transactions.ts';

/**
 * Which worker processes live. Each says so every few seconds. It tells how many lanes a batch can use, and whether the sender of a
 * request without an answer may still be waiting for it. No promise rests on it: a clock may be wrong.
 */

/** A worker process. */
export interface WorkerRecord {
  /** Unique per process start. */
  readonly owner: string;
  readonly apiUrl: string;
  readonly account: string;
}

/** A worker that has not been heard of for so long is taken for dead, ms; it beats at least three times in that time. */
const ALIVE_MS = 8_000;
/** One that has not been heard of for so long is forgotten, ms. */
const FORGET_MS = 3_600_000;

/** Notes that a worker lives. */
export async function beat(db: Db, { owner, apiUrl, account }: WorkerRecord): Promise<void> {
  await write(db, async (tx) => {
    const now = Date.now();
    await tx
      .deleteFrom('workers')
      .where('seen_at', '<', now - FORGET_MS)
      .execute();
    await tx
      .insertInto('workers')
      .values({ owner, api_url: apiUrl, account, seen_at: now })
      .onConflict((conflict) => conflict.column('owner').doUpdateSet({ seen_at: now }))
      .execute();
  });
}

/** A worker that ends in order says so; or, with `all`, every worker is known to be dead. */
export async function forgetWorkers(db: Db, which: { readonly owner: string } | 'all'): Promise<void> {
  await write(db, async (tx) => {
    const query = tx.deleteFrom('workers');
    await (which === 'all' ? query : query.where('owner', '=', which.owner)).execute();
  });
}

/** Workers of this API and account that live, as far as is known. */
export async function livingWorkers(db: Db, apiUrl: string, account: string): Promise<readonly string[]> {
  const lines = await db
    .selectFrom('workers')
    .select('owner')
    .where('api_url', '=', apiUrl)
    .where('account', '=', account)
    .where('seen_at', '>', Date.now() - ALIVE_MS)
    .execute();
  return lines.map(({ owner }) => owner);
}
