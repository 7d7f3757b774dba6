import type { OutageStatus } from '../store/outage.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { AnswersLost } from '../contract/answers-lost.ts';
import type { Dependencies } from '../activities/dependencies.ts';
import { LedgerUnreachable } from '../ledger/errors.ts';

/** How often the state of a place is read, ms. */
const LOOK_EVERY_MS = 1_000;
/** Outages shorter than this, such as a reconnection, are not reported, ms. */
const SHORT_MS = 2_000;
/** How long the calls of an ending process may still wait for the database, ms. */
const LAST_WAIT_MS = 10_000;

/** A service that a worker needs, and waits for if it does not answer. */
export type NeededPlace = 'ledger' | 'store';

/** What is reported about such a service: it does not answer or needs a person, or it answers again after `afterMs`. */
export type OutageEvent = { readonly of: NeededPlace } & (
  ({ readonly type: 'away' } & OutageStatus) | { readonly type: 'back'; readonly afterMs: number }
);

/**
 * Reports when a service stops answering and when it answers again. Reports again if the outage comes to need a person,
 * or needs something else of that person. `newsOf` reads the current outage; undefined for none. Returns a function
 * that ends the watch.
 */
export function watchOutage(
  of: NeededPlace,
  newsOf: () => Promise<OutageStatus | undefined>,
  tell: (event: OutageEvent) => void,
): () => void {
  let told: OutageStatus | undefined;
  const look = async (): Promise<void> => {
    const news = await newsOf();
    if (news === undefined) {
      if (told !== undefined) tell({ of, type: 'back', afterMs: told.forMs });
      told = undefined;
    } else if (news.forMs >= SHORT_MS) {
      const isNews = news.needsPerson === true && (told?.needsPerson !== true || told.problem !== news.problem);
      if (told === undefined || isNews) tell({ of, type: 'away', ...news });
      told = news;
    }
  };
  const timer = setInterval(() => {
    // Once the ledger is closed, its outage cannot be read.
    look().catch(() => undefined);
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

/**
 * Makes calls that wait for the ledger's database fail `afterMs` after the signal aborts, because an ending process
 * cannot wait forever. Returns a function that cancels this.
 */
export function limitWaiting(
  ledger: Pick<Ledger, 'stopWaiting'>,
  signal: AbortSignal,
  afterMs = LAST_WAIT_MS,
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
 * Reports a fault to the process (`raise`) only once no paid request is in flight and no answer is unrecorded: at the
 * fault the process ends, and would lose the answers that the disk still refuses. Meanwhile nothing more is sent, and
 * the user is told what to fix (`tell`). `raise` receives {@link AnswersLost} if answers were lost all the same.
 */
export async function holdFault(
  { sends, lostAnswers }: Pick<Dependencies, 'sends' | 'lostAnswers'>,
  fault: Error,
  { tell, raise }: { readonly tell: (event: OutageEvent) => void; readonly raise: (fault: Error) => void },
): Promise<void> {
  const since = performance.now();
  const news = { problem: fault.message, needsPerson: true };
  const endWatch = watchOutage(
    fault instanceof LedgerUnreachable ? 'ledger' : 'store',
    () => Promise.resolve({ ...news, forMs: performance.now() - since }),
    tell,
  );
  await sends.idle();
  endWatch();
  const { count } = lostAnswers;
  raise(count === 0 ? fault : new AnswersLost(fault, count));
}
