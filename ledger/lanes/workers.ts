import type { WorkerDuty } from '../../contract/worker-duty.ts';
import { WORKER_CLOCK_SLACK_MS } from '../../policy/clocks.ts';
import { write } from '../database/transactions.ts';
import { unitAdapterOf } from '../database/unit-adapter.ts';
import type { Db, Tx } from '../schema.ts';
import { removeFact, setFact } from '../database/facts.ts';

/*
 * Which worker processes are alive: each sends a heartbeat every few seconds. That decides how many lanes a batch can
 * use, and whether the sender of an unanswered request may still be waiting for it. No promise depends on it, because a
 * clock may be wrong.
 */

/** A worker process. */
export interface WorkerRecord {
  /** Id of the process, unique per start. */
  readonly owner: string;
  readonly apiUrl: string;
  readonly account: string;
  /** Its only duty (`worker --only`). Undefined: everything. */
  readonly only?: WorkerDuty | undefined;
}

/** Prefix of the facts that record which workers wait for the store. */
export const STORE_WAITS = 'store-wait:';

/** A worker without a heartbeat for this long counts as dead, ms. Live workers send at least three within it. */
const ALIVE_MS = 8_000;
/** The record of a worker without a heartbeat for this long is deleted, ms. */
const FORGET_MS = 3_600_000;

/**
 * Returns the time range (ms) of the last heartbeat of workers that are presumed alive. Includes the time of an outage,
 * in which workers could send none.
 */
export function aliveTimes(db: Db | Tx): readonly [from: number, to: number] {
  const lostMs = unitAdapterOf(db)?.outage.recentDowntimeMs(ALIVE_MS) ?? 0;
  const now = db.now();
  // Later times are of another clock: a former database's, or one that was set back. Live workers send a new heartbeat.
  return [now - ALIVE_MS - Math.round(lostMs) + 1, now + WORKER_CLOCK_SLACK_MS];
}

/** Records that a worker process is alive. */
export async function beat(db: Db, { owner, apiUrl, account, only }: WorkerRecord): Promise<void> {
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
    if (only === undefined) return;
    await tx.deleteFrom('worker_duties').where('owner', 'not in', tx.selectFrom('workers').select('owner')).execute();
    await tx
      .insertInto('worker_duties')
      .values({ owner, duty: only })
      .onConflict((conflict) => conflict.column('owner').doNothing())
      .execute();
  });
}

/** The end of a worker that could not continue. */
export interface WorkerEnd {
  /** ms since 1970. */
  readonly at: number;
  /** A sentence or two. */
  readonly reason: string;
}

/**
 * Records that a worker ends because it cannot continue, and why, in a sentence or two. May use the disk space reserved
 * for answers. The record is deleted with those of dead workers when the next worker starts.
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

/** Returns when and why the last worker of this API and account ended, if it could not continue and none followed. */
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

/**
 * Deletes the records of a worker that shut down normally, including hints from webhooks that it has not read; with
 * `all`, of every worker, because all are known to be dead.
 */
export async function forgetWorkers(db: Db, which: { readonly owner: string } | 'all'): Promise<void> {
  await write(db, async (tx) => {
    for (const table of ['workers', 'job_hints', 'worker_duties'] as const) {
      const lines = tx.deleteFrom(table);
      await (which === 'all' ? lines : lines.where('owner', '=', which.owner)).execute();
    }
    const waits = tx.deleteFrom('facts');
    await (
      which === 'all'
        ? waits.where('name', 'like', `${STORE_WAITS}%`)
        : waits.where('name', '=', STORE_WAITS + which.owner)
    ).execute();
  });
}

/** Returns the ids of live workers of this API and account. `duty`: only those that have this duty, or all duties. */
export async function livingWorkers(
  db: Db | Tx,
  apiUrl: string,
  account: string,
  duty?: WorkerDuty,
): Promise<readonly string[]> {
  const living = selectLiving(db).select('workers.owner').where('api_url', '=', apiUrl).where('account', '=', account);
  const others =
    duty === undefined ? undefined : db.selectFrom('worker_duties').select('owner').where('duty', '!=', duty);
  const lines = await (others === undefined ? living : living.where('workers.owner', 'not in', others)).execute();
  return lines.map(({ owner }) => owner);
}

/** Returns all live workers, of any API and account. */
export async function allLivingWorkers(db: Db): Promise<readonly WorkerRecord[]> {
  return selectLiving(db).select(['owner', 'api_url as apiUrl', 'account']).execute();
}

function selectLiving(db: Db | Tx) {
  return db
    .selectFrom('workers')
    .where((eb) => eb.between('seen_at', ...aliveTimes(db)))
    .where('ended_because', 'is', null);
}

/** `silent`: no heartbeat lately. `gone`: it has ended, or its record was deleted, so it is certainly dead. */
export type WorkerLiveness = 'alive' | 'silent' | 'gone';

/** Returns whether a worker is alive. `owner`: its id. */
export async function workerLiveness(db: Db, owner: string): Promise<WorkerLiveness> {
  const found = await db
    .selectFrom('workers')
    .select('seen_at')
    .where('owner', '=', owner)
    .where('ended_because', 'is', null)
    .executeTakeFirst();
  if (found === undefined) return 'gone';
  const [from, to] = aliveTimes(db);
  return found.seen_at >= from && found.seen_at <= to ? 'alive' : 'silent';
}

// Which workers wait for the store, because it does not answer them. Recorded as facts, so that older versions need no
// new table. Only the waits of live workers count.

/** A worker's wait for the store. */
interface StoreWait {
  /** Since when, by the worker's clock, ms. */
  readonly since: number;
  /** The store's error, or that it does not answer. */
  readonly problem: string;
}

/** Records that a worker waits for the store; `wait` undefined: it no longer waits. */
export async function noteStoreWait(db: Db, owner: string, wait: StoreWait | undefined): Promise<void> {
  await write(db, async (tx) => {
    if (wait === undefined) {
      await removeFact(tx, STORE_WAITS + owner);
      return;
    }
    // Also remove the waits of killed workers. The prefix itself is only listed so that the list is never empty.
    const owners = (await tx.selectFrom('workers').select('owner').execute()).map((one) => STORE_WAITS + one.owner);
    await tx
      .deleteFrom('facts')
      .where('name', 'like', `${STORE_WAITS}%`)
      .where('name', 'not in', [STORE_WAITS, ...owners])
      .execute();
    await setFact(tx, STORE_WAITS + owner, JSON.stringify(wait));
  });
}

/** The workers of an account that wait for the store. */
export interface StoreWaits {
  readonly workers: number;
  /** Whether all live workers wait. */
  readonly isAll: boolean;
  /** The longest of these waits. */
  readonly first: StoreWait;
}

/** Returns the waits of the account's live workers; undefined if none waits. */
export async function storeWaits(db: Db, apiUrl: string, account: string): Promise<StoreWaits | undefined> {
  const facts = await db.selectFrom('facts').selectAll().where('name', 'like', `${STORE_WAITS}%`).execute();
  if (facts.length === 0) return undefined;
  const living = await livingWorkers(db, apiUrl, account);
  const waits = facts
    .filter(({ name }) => living.includes(name.slice(STORE_WAITS.length)))
    .map(({ value }) => JSON.parse(value) as StoreWait)
    .toSorted((one, other) => one.since - other.since);
  const [first] = waits;
  return first && { workers: waits.length, isAll: waits.length === living.length, first };
}
