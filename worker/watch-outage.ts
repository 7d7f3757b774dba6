import type { OutageNews } from '../ledger/database/outage.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** How often to look, ms. */
const LOOK_EVERY_MS = 1_000;
/** A shorter outage, such as a connection that is made anew, is not worth a word, ms. */
const SHORT_MS = 2_000;
/** How long calls may still wait for the database once the process must end, ms. */
const LAST_WAIT_MS = 10_000;

/** What to say about the ledger's database: it does not answer, or answers again, after so many ms. */
export type OutageEvent =
  ({ readonly type: 'away' } & OutageNews) | { readonly type: 'back'; readonly afterMs: number };

/** Tells when the ledger's database goes away and comes back. Returns how to end that. */
export function watchOutage(ledger: Pick<Ledger, 'outage'>, tell: (event: OutageEvent) => void): () => void {
  let told: OutageNews | undefined;
  const look = async (): Promise<void> => {
    const news = await ledger.outage();
    if (news === undefined) {
      if (told !== undefined) tell({ type: 'back', afterMs: told.forMs });
      told = undefined;
    } else if (news.forMs >= SHORT_MS) {
      if (told === undefined) tell({ type: 'away', ...news });
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
 * Ends waiting for the ledger's database some seconds after the signal: what must end cannot wait for ever. Returns how
 * to take that back once it has ended.
 */
export function limitWaiting(ledger: Pick<Ledger, 'stopWaiting'>, signal: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined;
  const limit = (): void => {
    timer = setTimeout(() => {
      ledger.stopWaiting().catch(() => undefined);
    }, LAST_WAIT_MS);
    timer.unref();
  };
  if (signal.aborted) limit();
  else signal.addEventListener('abort', limit, { once: true });
  return () => {
    signal.removeEventListener('abort', limit);
    clearTimeout(timer);
  };
}
