import { write } from '../database/transactions.ts';
import type { Db } from '../schema.ts';
import { removeFact, setFact } from '../database/facts.ts';
import { livingWorkers, STORE_WAITS } from './workers.ts';

// Which workers wait for the store. Kept as facts, so that older versions need no new table. A worker notes it when the
// store goes away for it, and when it is back. Only the waits of living workers count.

/** Why a worker waits. */
export interface StoreWait {
  /** From when on, by the worker's clock, ms. */
  readonly since: number;
  /** What the store answers, or that it does not. */
  readonly problem: string;
}

/** Records that a worker waits for the store; undefined: it does not any more. */
export async function noteStoreWait(db: Db, owner: string, wait: StoreWait | undefined): Promise<void> {
  await write(db, async (tx) => {
    if (wait === undefined) {
      await removeFact(tx, STORE_WAITS + owner);
      return;
    }
    // Also remove the waits of killed workers.
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
  /** Whether no other is alive. */
  readonly isAll: boolean;
  /** What the first of them waits for. */
  readonly first: StoreWait;
}

/** Living workers that wait; undefined if none does. */
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
