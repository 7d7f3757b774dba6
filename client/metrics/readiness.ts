import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../contract/message-of.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Store } from '../../store/store.ts';
import type { WorkerStatus } from '../../worker/run-worker.ts';

/** How long ledger and store may take to answer, ms: probes have little patience. */
const PATIENCE_MS = 2_000;

export interface ReadinessNeeds {
  readonly ledger: Pick<Ledger, 'outage' | 'storeId'>;
  readonly store: Pick<Store, 'outage' | 'requireStillThere'>;
  /** What the worker does; undefined before there is one. */
  readonly standing: () => WorkerStatus | undefined;
}

/**
 * Returns what says why this process is not ready, in a sentence without secrets; undefined: it is. A place that does
 * not answer is not asked again before it does, however often somebody wants to know.
 */
export function readiness({ ledger, store, standing }: ReadinessNeeds): () => Promise<string | undefined> {
  const ledgerProblem = asked(
    async () => (await ledger.outage())?.problem,
    () => ledger.storeId(),
  );
  const storeProblem = asked(
    () => Promise.resolve(store.outage?.status?.problem),
    () => store.requireStillThere(),
  );
  return async () => {
    const now = standing();
    if (now === undefined) return 'The worker is starting.';
    if (now.fault !== undefined) return `The worker sends nothing more: ${now.fault.message}`;
    if (!now.isRunning) return 'The worker is ending.';
    const [ofLedger, ofStore] = await Promise.all([ledgerProblem(), storeProblem()]);
    if (ofLedger !== undefined) return `The ledger does not answer: ${ofLedger}`;
    return ofStore === undefined ? undefined : `The store does not answer: ${ofStore}`;
  };
}

/** Why a place does not answer: what is `known` of that, or what asking it brings. */
function asked(
  known: () => Promise<string | undefined>,
  ask: () => Promise<unknown>,
): () => Promise<string | undefined> {
  let asking: Promise<string | undefined> | undefined;
  return async () => {
    const problem = await known();
    if (problem !== undefined) return problem;
    asking ??= ask()
      .then(() => undefined, messageOf)
      .finally(() => (asking = undefined));
    const late = new AbortController();
    const slow = sleep(PATIENCE_MS, `no answer within ${String(PATIENCE_MS / 1_000)} s`, { signal: late.signal });
    return Promise.race([asking, slow]).finally(() => {
      slow.catch(() => undefined);
      late.abort();
    });
  };
}
