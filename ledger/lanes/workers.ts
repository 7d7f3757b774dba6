import { write } from '../database/transactions.ts';
import type { Clock, Db, Tx } from '../schema.ts';

/**
 * Which worker processes are alive. Each reports every few seconds. This tells how many lanes a batch can use, and
 * whether the sender of a request without an answer may still be waiting for it. No promise rests on it: a clock may be
 * wrong.
 */

/** A worker process. */
export interface WorkerRecord {
  /** Unique per process start. */
  readonly owner: string;
  readonly apiUrl: string;
  readonly account: string;
}

/** A worker that has not reported for this long counts as dead, ms; it reports at least three times in that time. */
const ALIVE_MS = 8_000;
/** A worker that has not reported for this long is forgotten, ms. */
const FORGET_MS = 3_600_000;

/** A worker that reported after this time is alive, as far as is known; ms. */
export function aliveSince({ now }: Clock): number {
  return now() - ALIVE_MS;
}

/** Records that a worker process is alive. */
export async function beat(db: Db, { owner, apiUrl, account }: WorkerRecord): Promise<void> {
  await write(db, async (tx) => {
    const now = tx.now();
    await tx
      .deleteFrom('workers')
      .where('seen_at', '<', now - FORGET_MS)
      .execute();
    await tx
      .insertInto('workers')
      .values({ owner, api_url: apiUrl, account, seen_at: now, ended_because: null })
      .onConflict((conflict) => conflict.column('owner').doUpdateSet({ seen_at: now }))
      .execute();
  });
}

/** How a worker ended that could not go on. */
export interface WorkerEnd {
  /** ms since 1970. */
  readonly at: number;
  /** A sentence or two. */
  readonly reason: string;
}

/**
 * Records that a worker ends because it cannot go on, and why. May use the room that is kept for answers. It is forgotten
 * with the dead, when the next one begins.
 */
export async function noteWorkerEnd(db: Db, { owner, apiUrl, account }: WorkerRecord, reason: string): Promise<void> {
  await write(db, async (tx) => {
    const end = { seen_at: tx.now(), ended_because: reason };
    await tx
      .insertInto('workers')
      .values({ owner, api_url: apiUrl, account, ...end })
      .onConflict((conflict) => conflict.column('owner').doUpdateSet(end))
      .execute();
  });
}

/** How and why the last worker of this API and account ended, if it could not go on and nobody came after it. */
export async function lastWorkerEnd(db: Db, apiUrl: string, account: string): Promise<WorkerEnd | undefined> {
  const last = await db
    .selectFrom('workers')
    .select(['seen_at', 'ended_because'])
    .where('api_url', '=', apiUrl)
    .where('account', '=', account)
    .orderBy('seen_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last === undefined || last.ended_because === null
    ? undefined
    : { at: last.seen_at, reason: last.ended_because };
}

/** Forgets a worker that ends in order; or, with `all`, all workers, because they are known to be dead. */
export async function forgetWorkers(db: Db, which: { readonly owner: string } | 'all'): Promise<void> {
  await write(db, async (tx) => {
    const query = tx.deleteFrom('workers');
    await (which === 'all' ? query : query.where('owner', '=', which.owner)).execute();
  });
}

/** Workers of this API and account that are alive, as far as is known: they reported within the last seconds. */
export async function livingWorkers(db: Db | Tx, apiUrl: string, account: string): Promise<readonly string[]> {
  const lines = await db
    .selectFrom('workers')
    .select('owner')
    .where('api_url', '=', apiUrl)
    .where('account', '=', account)
    .where('seen_at', '>', aliveSince(db))
    .where('ended_because', 'is', null)
    .execute();
  return lines.map(({ owner }) => owner);
}
