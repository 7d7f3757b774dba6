/**
 * Names in Temporal. They carry the API's origin, the account and the ledger, so a worker with another token or another
 * ledger can never pick up work for this account, or for a rehearsal on the simulator.
 */

/** An account of an API. */
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

/** The first part in which two realms differ; undefined if they are the same. */
export function realmDifference(one: Account, other: Account): 'api' | 'account' | undefined {
  if (one.apiUrl !== other.apiUrl) return 'api';
  return one.account === other.account ? undefined : 'account';
}

/** Task queue of everything in a realm. Readable in Temporal's own tools; at most 1,000 bytes. */
export function taskQueueOf(realm: Realm): string {
  return `voxbatch ${realm.apiUrl} ${realm.account} ${realm.ledgerId}`;
}

/** Task queue of the lanes of workers that only download, beside that of everything else. */
export function downloadQueueOf(taskQueue: string): string {
  return `${taskQueue} downloads`;
}

/** Workflow id of a batch. */
export function batchWorkflowId(ledgerId: string, batch: string): string {
  return `voxbatch ${ledgerId} ${batch}`;
}

/** The key shared by all attempts of a take. It is sent as `Idempotency-Key` and never relied on. */
export function idempotencyKeyOf(
  ledgerId: string,
  key: { batch: string; row: number; step: string; take: number },
): string {
  return `voxbatch-${ledgerId}-${key.batch}-${key.row}-${key.step}-${key.take}`;
}

/** Name of a limiter in the ledger; it covers all workers and batches of an API and account. */
export function limiterScope({ realm }: { readonly realm: Account }, what: string): string {
  return `${realm.apiUrl} ${realm.account} ${what}`;
}
