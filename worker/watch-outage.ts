import type { OutageStatus } from '../store/outage.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { AnswersLost } from '../contract/answers-lost.ts';
import type { Dependencies } from '../activities/dependencies.ts';
import { LedgerUnreachable } from '../ledger/errors.ts';

/** How often to look, ms. */
const LOOK_EVERY_MS = 1_000;
/** A shorter outage, such as a connection that is made anew, is not worth a word, ms. */
const SHORT_MS = 2_000;
/** How long calls of a process that worked may still wait for the database once it must end, ms. */
const LAST_WAIT_MS = 10_000;

/** What a worker needs and waits for, on another machine. */
export type NeededPlace = 'ledger' | 'store';

/** What to say about such a place: it does not answer, or waits for a person, or answers again, after so many ms. */
export type OutageEvent = { readonly of: NeededPlace } & (
  ({ readonly type: 'away' } & OutageStatus) | { readonly type: 'back'; readonly afterMs: number }
);

/**
 * Tells when a place goes away and comes back, by what `newsOf` says of it now; and once it waits for a person, or for
 * something else of that person, who would otherwise be told only what it was at first. Returns how to end that.
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
    // A closed ledger has no news.
    look().catch(() => undefined);
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

/**
 * Ends waiting for the ledger's database so long after the signal: what must end cannot wait for ever. Returns how to
 * take that back once it has ended.
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
 * Tells the process of a fault only once no paid answer is on its way or in hand: it would end, and lose those that the
 * disk still refuses. Nothing more is sent meanwhile, and a person is told what to mend. `raise` gets {@link
 * AnswersLost} if the process had to end before that.
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
