import { deliverDue, deliverNotices, type DeliverUntil } from './deliver-notices.ts';

/** How long hooks that are being told, and those of what has just ended, may take once the process is to end, ms. */
const PATIENCE_MS = 35_000;

/** Hooks that are told in the background. */
export interface Telling {
  /** Resolves when it has ended; rejects if the ledger is gone. */
  readonly ended: Promise<void>;
  /**
   * Ends it in order: what is under way arrives, and when `worked` is over, what has come of that is tried once. After
   * 35 s the rest is cut off; the next process tells it. Never throws.
   */
  end(worked: Promise<unknown>): Promise<void>;
}

/** Tells the hooks of the batches of a ledger until it is ended. */
export function tellHooks(told: Omit<DeliverUntil, 'signal' | 'until'>): Telling {
  const [ending, cutting] = [new AbortController(), new AbortController()];
  const request = { ...told, signal: cutting.signal, until: ending.signal };
  const ended = deliverNotices(request);
  return {
    ended,
    end: async (worked) => {
      ending.abort();
      const patience = setTimeout(() => {
        cutting.abort();
      }, PATIENCE_MS);
      try {
        await Promise.allSettled([ended, worked]);
        await deliverDue(request);
      } catch {
        // They stay on record for the next process.
      } finally {
        clearTimeout(patience);
      }
    },
  };
}
