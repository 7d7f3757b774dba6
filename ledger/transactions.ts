import type { Db, Schema, Tx } from './schema.ts';
import { WriteQueue } from './write-queue.ts';

const queues = new WeakMap<Db, WriteQueue<Schema>>();

/**
 * Runs `work` inside a write transaction that may have other work of this process in it, and returns once it is synced to disk. If `work`
 * throws, what it wrote is taken back, and nothing else. It sees what the work before it wrote. Writers wait for each other.
 */
export async function write<R>(db: Db, work: (tx: Tx) => Promise<R>): Promise<R> {
  let queue = queues.get(db);
  if (queue === undefined) {
    queue = new WriteQueue(db);
    queues.set(db, queue);
  }
  return queue.add(work);
}

/** Closes the database once what was asked of it before is done. */
export async function close(db: Db): Promise<void> {
  await queues.get(db)?.idle();
  // Readings have the connection one after the other.
  await db.connection().execute(() => Promise.resolve());
  await db.destroy();
}

/** Runs `work` on one unchanging view of the ledger. Never waits for a writer. */
export async function look<R>(db: Db, work: (tx: Tx) => Promise<R>): Promise<R> {
  return db.transaction().setAccessMode('read only').execute(work);
}
