import type { Ledger } from '../../ledger/ledger.ts';
import { limitWaiting, watchOutage, type OutageEvent } from '../../worker/watch-outage.ts';

/** Reports when the ledger's database stops answering and when it answers again. Returns a function that ends that. */
export function reportLedgerOutages(ledger: Pick<Ledger, 'outage' | 'place'>, say: (line: string) => void): () => void {
  return watchOutage(
    'ledger',
    () => ledger.outage(),
    (event) => {
      say(outageMessage(ledger, event));
    },
  );
}

/** How a process waits for the ledger's database while that does not answer. */
export interface WaitingRules {
  /** Called with a message when the database stops answering, and when it answers again. */
  readonly say: (line: string) => void;
  /** Ends the waiting some seconds after it aborts. Default: it never ends. */
  readonly signal?: AbortSignal | undefined;
}

/** Wraps a ledger so that its outages are reported as by {@link reportLedgerOutages} until it is closed. */
export function withOutageReports(ledger: Ledger, { say, signal }: WaitingRules): Ledger {
  const endReports = reportLedgerOutages(ledger, say);
  const endLimit = signal && limitWaiting(ledger, signal);
  const close = async (): Promise<void> => {
    endReports();
    endLimit?.();
    await ledger.close();
  };
  return { ...ledger, close };
}

/** The message about an outage of the ledger or the store, which workers wait for. */
export function outageMessage({ place }: Pick<Ledger, 'place'>, event: OutageEvent): string {
  const what = event.of === 'ledger' ? 'database of the ledger' : 'store';
  if (event.type === 'back')
    return `The ${what} answers again, after ${String(Math.round(event.afterMs / 1_000))} s. Work goes on.`;
  if (event.needsPerson === true)
    return `Nothing is sent until that is mended; answers on their way are kept, and wait. ${event.problem}`;
  return event.of === 'ledger'
    ? `The ${what} ${place} does not answer. Nothing is sent until it does; answers on their way are kept. ${event.problem}`
    : `The ${what} does not answer (${event.problem}). Nothing more is paid for until it does; what is paid for is stored then.`;
}

/**
 * The message of a command that only follows a batch, about a store that does not answer or, with `needsPerson`,
 * refuses this process. `why`: the store's problem.
 */
export function storeAwayMessage(why: string, needsPerson: boolean): string {
  const goesOn = 'the batch goes on wherever workers can use it.';
  if (needsPerson) return `This command cannot use the store: ${why} It goes on once that is mended; ${goesOn}`;
  return `The store does not answer this command (${why}). It waits for it; ${goesOn}`;
}
