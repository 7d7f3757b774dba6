/**
 * Names that tie work to an API, an account and a ledger: task queues, workflow ids, idempotency keys, limiters. A
 * worker with another token or ledger polls another task queue, so it can never pick up this work, nor can a rehearsal
 * on the simulator run against the real API.
 */

/** An account on an API server. */
export interface Account {
  /** Origin and path of the API, e.g. `https://host/api/open/v1`. */
  readonly apiUrl: string;
  /** The `user_id` of the profile. */
  readonly account: string;
}

/** An API, an account and a ledger. A pool of workers serves exactly one realm. */
export interface Realm extends Account {
  /** Random id of the ledger, created with it. */
  readonly ledgerId: string;
}

/** Returns the first part in which two accounts differ; undefined if they are the same. */
export function realmDifference(one: Account, other: Account): 'api' | 'account' | undefined {
  if (one.apiUrl !== other.apiUrl) return 'api';
  return one.account === other.account ? undefined : 'account';
}

/** Returns the task queue of a realm, readable in Temporal's own tools. Temporal allows 1,000 bytes. */
export function taskQueueOf(realm: Realm): string {
  return `voxbatch ${realm.apiUrl} ${realm.account} ${realm.ledgerId}`;
}

/** Returns the task queue for workers that only download. `taskQueue`: that of the realm. */
export function downloadQueueOf(taskQueue: string): string {
  return `${taskQueue} downloads`;
}

/** Returns the workflow id of a batch. */
export function batchWorkflowId(ledgerId: string, batch: string): string {
  return `voxbatch ${ledgerId} ${batch}`;
}

/** Returns the `Idempotency-Key` of a take's requests. It is sent in case the API honours it, and never relied on. */
export function idempotencyKeyOf(
  ledgerId: string,
  key: { batch: string; row: number; step: string; take: number },
): string {
  return `voxbatch-${ledgerId}-${key.batch}-${key.row}-${key.step}-${key.take}`;
}

/** Returns the ledger's name of a limiter, shared by all workers and batches of an account. `what`: the call class. */
export function limiterScope({ realm }: { readonly realm: Account }, what: string): string {
  return `${realm.apiUrl} ${realm.account} ${what}`;
}
