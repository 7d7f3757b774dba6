import type { OutageStatus } from '../store/outage.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { AnswersLost } from '../contract/answers-lost.ts';
import type { Dependencies } from '../activities/dependencies.ts';
import { LedgerUnreachable } from '../ledger/errors.ts';

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
