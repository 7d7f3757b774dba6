import type { OutageStatus } from '../store/outage.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { AnswersLost } from '../contract/answers-lost.ts';
import type { Dependencies } from '../activities/dependencies.ts';
import { LedgerUnreachable } from '../ledger/errors.ts';

/*
 * Outages of the services that voxbatch needs, its ledger and its store: how they are watched and reported, and what an
 * ending or faulty process does about them.
 */

/** Interval between two checks of a service, ms. */
const CHECK_EVERY_MS = 1_000;
/** Outages shorter than this, such as a reconnection, are not reported, ms. */
const MIN_OUTAGE_MS = 2_000;
/** How long the calls of an ending process may still wait for the database, ms. */
const MAX_LAST_WAIT_MS = 10_000;

/** A service that a worker needs, and waits for if it does not answer. */
export type NeededService = 'ledger' | 'store';

/** What is reported about such a service: it does not answer or needs a person, or it answers again after `afterMs`. */
export type OutageEvent = { readonly of: NeededService } & (
  ({ readonly type: 'away' } & OutageStatus) | { readonly type: 'back'; readonly afterMs: number }
);

/**
 * Reports when a service stops answering and when it answers again. Reports again if the outage comes to need a person,
 * or needs something else of that person. `readOutage` returns the current outage; undefined for none. Returns a
 * function that ends the watch.
 */
export function watchOutage(
  of: NeededService,
  readOutage: () => Promise<OutageStatus | undefined>,
  onEvent: (event: OutageEvent) => void,
): () => void {
  /** The outage as read last, once it has been reported. */
  let reported: OutageStatus | undefined;
  const check = async (): Promise<void> => {
    const outage = await readOutage();
    if (outage === undefined) {
      if (reported !== undefined) onEvent({ of, type: 'back', afterMs: reported.forMs });
      reported = undefined;
    } else if (outage.forMs >= MIN_OUTAGE_MS) {
      if (reported === undefined || needsOtherAction(outage, reported)) onEvent({ of, type: 'away', ...outage });
      reported = outage;
    }
  };
  const timer = setInterval(() => {
    // Once the ledger is closed, its outage cannot be read.
    check().catch(() => undefined);
  }, CHECK_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

/** Returns true if an outage needs a person, and the reported one did not, or had another problem. */
function needsOtherAction(outage: OutageStatus, reported: OutageStatus): boolean {
  return outage.needsPerson === true && (reported.needsPerson !== true || reported.problem !== outage.problem);
}

/** Watches the ledger and the store of a running worker for outages. Returns a function that ends both watches. */
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

/**
 * Handles an outage of a worker's store, or a fault that {@link deferFault} defers: as an event, in the ledger, and by
 * `onOutage`.
 */
export function handleOutage(
  deps: Pick<Dependencies, 'ledger' | 'owner' | 'observe'> & { readonly onOutage?: (event: OutageEvent) => void },
  event: OutageEvent,
): void {
  observeOutage(deps, event);
  if (event.of === 'store') recordStoreWait(deps, event);
  deps.onOutage?.(event);
}

function observeOutage({ observe }: Pick<Dependencies, 'observe'>, event: OutageEvent): void {
  const { of, type } = event;
  if (type === 'away') observe({ type: 'note', what: `${of}-away`, error: event.problem });
  else observe({ type: 'note', what: `${of}-back`, facts: { afterMs: Math.round(event.afterMs) } });
}

/** Records in the ledger that this worker waits for its store, or no longer does, for display by other processes. */
function recordStoreWait({ ledger, owner }: Pick<Dependencies, 'ledger' | 'owner'>, event: OutageEvent): void {
  const wait =
    event.type === 'away' ? { since: Date.now() - Math.round(event.forMs), problem: event.problem } : undefined;
  // A failed write is ignored, because the log has the outage, too.
  ledger.noteStoreWait(owner, wait).catch(() => undefined);
}

/**
 * Makes calls that wait for the ledger's database fail `afterMs` after the signal aborts, because an ending process
 * cannot wait forever. Returns a function that cancels this.
 */
export function limitWaiting(
  ledger: Pick<Ledger, 'stopWaiting'>,
  signal: AbortSignal,
  afterMs = MAX_LAST_WAIT_MS,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const limit = (): void => {
    timer = setTimeout(() => {
      ledger.stopWaiting().catch(() => undefined);
    }, afterMs);
    timer.unref();
  };
  if (signal.aborted) limit();
  else signal.addEventListener('abort', limit, { once: true });
  return () => {
    signal.removeEventListener('abort', limit);
    clearTimeout(timer);
  };
}

/**
 * Passes a fault to `raise`, which ends the process, only once no paid request is in flight and no answer is
 * unrecorded: the process would otherwise lose answers that it cannot record yet. Until then, reports the fault to the
 * user (`onOutage`), who has to fix it. Passes {@link AnswersLost} instead if answers were lost all the same.
 */
export async function deferFault(
  { sends, lostAnswers }: Pick<Dependencies, 'sends' | 'lostAnswers'>,
  fault: Error,
  { onOutage, raise }: { readonly onOutage: (event: OutageEvent) => void; readonly raise: (fault: Error) => void },
): Promise<void> {
  const since = performance.now();
  const outage = { problem: fault.message, needsPerson: true };
  const endWatch = watchOutage(
    fault instanceof LedgerUnreachable ? 'ledger' : 'store',
    () => Promise.resolve({ ...outage, forMs: performance.now() - since }),
    onOutage,
  );
  await sends.idle();
  endWatch();
  const { count } = lostAnswers;
  raise(count === 0 ? fault : new AnswersLost(fault, count));
}
