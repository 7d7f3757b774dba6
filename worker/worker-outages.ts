import type { Dependencies } from '../activities/dependencies.ts';
import type { WorkerSetup } from './dependencies.ts';
import { watchOutage, type OutageEvent } from './watch-outage.ts';

/**
 * Watches the ledger and the store of a running worker for outages. Returns a function that ends both watches.
 *
 * @param onStoreOutage {@link handleOutage}, bound to the worker
 */
export function watchOutages(
  deps: Pick<Dependencies, 'ledger' | 'store' | 'observe'>,
  onStoreOutage: (event: OutageEvent) => void,
): () => void {
  // The code that opened the ledger reports its outages to the user, so here they become events only.
  const endLedgerWatch = watchOutage(
    'ledger',
    () => deps.ledger.outage(),
    (event) => {
      observeOutage(deps, event);
    },
  );
  const endStoreWatch = watchOutage('store', () => Promise.resolve(deps.store.outage?.status), onStoreOutage);
  return () => {
    endLedgerWatch();
    endStoreWatch();
  };
}

/** Handles an outage of the store, or a deferred fault: as an event, in the ledger, and by the worker's `onOutage`. */
export function handleOutage(setup: WorkerSetup, event: OutageEvent): void {
  observeOutage(setup, event);
  recordStoreOutage(setup, event);
  setup.onOutage?.(event);
}

function observeOutage({ observe }: Pick<WorkerSetup, 'observe'>, event: OutageEvent): void {
  const { of, type } = event;
  if (type === 'away') observe({ type: 'note', what: `${of}-away`, error: event.problem });
  else observe({ type: 'note', what: `${of}-back`, facts: { afterMs: Math.round(event.afterMs) } });
}

/** Records in the ledger that this worker waits for its store, or no longer does, for display by other processes. */
function recordStoreOutage({ ledger, owner }: Pick<WorkerSetup, 'ledger' | 'owner'>, event: OutageEvent): void {
  if (event.of !== 'store') return;
  const wait =
    event.type === 'away' ? { since: Date.now() - Math.round(event.forMs), problem: event.problem } : undefined;
  // A failed write is ignored, because the log has the outage, too.
  ledger.noteStoreWait(owner, wait).catch(() => undefined);
}
