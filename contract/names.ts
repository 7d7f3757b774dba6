/**
 * Names in Temporal. They carry the API's origin, the account and the ledger, so that work for one account, or a
 * rehearsal on the simulator, can never be picked up by a worker that holds another token or another ledger.
 */

/** Whose money and whose records: one pool of workers serves exactly one of these. */
export interface Realm {
  /** Origin and path of the API, e.g. `https://host/api/open/v1`. */
  readonly apiUrl: string;
  /** The `user_id` of the profile. */
  readonly account: string;
  /** Random id of the ledger, made with it. */
  readonly ledgerId: string;
}

/** The first thing in which two realms differ that a batch has on record; undefined where it is the same. */
export function realmDifference(
  one: Pick<Realm, 'apiUrl' | 'account'>,
  other: Pick<Realm, 'apiUrl' | 'account'>,
): 'api' | 'account' | undefined {
  if (one.apiUrl !== other.apiUrl) return 'api';
  return one.account === other.account ? undefined : 'account';
}

/** Task queue of everything in a realm. Readable in Temporal's own tools; at most 1,000 bytes. */
export function taskQueueOf(realm: Realm): string {
  return `voxbatch ${realm.apiUrl} ${realm.account} ${realm.ledgerId}`;
}

/** Workflow id of a batch. */
export function batchWorkflowId(ledgerId: string, batch: string): string {
  return `voxbatch ${ledgerId} ${batch}`;
}

/** Key that is the same for every attempt of a take, sent as `Idempotency-Key` and never relied on. */
export function idempotencyKeyOf(
  ledgerId: string,
  key: { batch: string; row: number; step: string; take: number },
): string {
  return `voxbatch-${ledgerId}-${key.batch}-${key.row}-${key.step}-${key.take}`;
}

/** Name of a limiter in the ledger: it holds for all workers and batches of an API and account. */
export function limiterScope({ realm }: { readonly realm: Pick<Realm, 'apiUrl' | 'account'> }, what: string): string {
  return `${realm.apiUrl} ${realm.account} ${what}`;
}
