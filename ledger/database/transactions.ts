import { withClock } from './clock.ts';
import type { Db, Schema, Tx } from '../schema.ts';
import { WriteQueue } from './write-queue.ts';

const queues = new WeakMap<Db, WriteQueue<Schema>>();

/**
 * Runs `work` inside a write transaction that may hold other work of this process, and returns once it is synced to
 * disk. If `work` throws, only its own writes are rolled back. It sees the writes of the work before it. Writers wait
 * for each other.
 */
export async function write<R>(db: Db, work: (tx: Tx) => Promise<R>): Promise<R> {
  let queue = queues.get(db);
  if (queue === undefined) {
    queue = new WriteQueue<Schema>(db);
    queues.set(db, queue);
  }
  return queue.add((tx) => work(withClock(tx, db)));
}

/** Waits for earlier calls, then closes the database. */
export async function close(db: Db): Promise<void> {
  await queues.get(db)?.idle();
  // Reads use the connection one after the other.
  await db.connection().execute(() => Promise.resolve());
  await db.destroy();
}

/** Runs `work` on a snapshot of the ledger. Never waits for a writer. */
export async function look<R>(db: Db, work: (tx: Tx) => Promise<R>): Promise<R> {
  return db
    .transaction()
    .setAccessMode('read only')
    .execute((tx) => work(withClock(tx, db)));
}
