import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../contract/message-of.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Store } from '../../store/store.ts';
import type { WorkerStatus } from '../../worker/run-worker.ts';

/** Timeout for ledger and store, ms: probes time out soon, too. */
const TIMEOUT_MS = 2_000;

/** What readiness depends on. */
export interface ReadinessNeeds {
  readonly ledger: Pick<Ledger, 'outage' | 'storeId'>;
  readonly store: Pick<Store, 'outage' | 'requireStillThere'>;
  /** The worker's state; undefined before it has started. */
  readonly status: () => WorkerStatus | undefined;
}

/**
 * Returns a function that explains why this process is not ready, in a sentence without secrets; undefined if it is
 * ready. While the ledger or the store has not answered, no further call to it is made, however often the function is
 * called.
 */
export function readiness({ ledger, store, status }: ReadinessNeeds): () => Promise<string | undefined> {
  const ledgerProblem = probe(
    async () => (await ledger.outage())?.problem,
    () => ledger.storeId(),
  );
  const storeProblem = probe(
    () => Promise.resolve(store.outage?.status?.problem),
    () => store.requireStillThere(),
  );
  return async () => {
    const worker = status();
    if (worker === undefined) return 'The worker is starting.';
    if (worker.fault !== undefined) return `The worker sends nothing more: ${worker.fault.message}`;
    if (!worker.isRunning) return 'The worker is ending.';
    const [ofLedger, ofStore] = await Promise.all([ledgerProblem(), storeProblem()]);
    if (ofLedger !== undefined) return `The ledger does not answer: ${ofLedger}`;
    return ofStore === undefined ? undefined : `The store does not answer: ${ofStore}`;
  };
}

/**
 * Returns a function that explains why the ledger or the store does not answer: by the outage that is `known`,
 * otherwise by the result of a `call`.
 */
function probe(
  known: () => Promise<string | undefined>,
  call: () => Promise<unknown>,
): () => Promise<string | undefined> {
  let calling: Promise<string | undefined> | undefined;
  return async () => {
    const problem = await known();
    if (problem !== undefined) return problem;
    calling ??= call()
      .then(() => undefined, messageOf)
      .finally(() => (calling = undefined));
    const late = new AbortController();
    const slow = sleep(TIMEOUT_MS, `no answer within ${String(TIMEOUT_MS / 1_000)} s`, { signal: late.signal });
    return Promise.race([calling, slow]).finally(() => {
      slow.catch(() => undefined);
      late.abort();
    });
  };
}
