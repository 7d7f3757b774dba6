import type { Ledger } from '../../ledger/ledger.ts';
import type { OutageEvent } from '../../worker/watch-outage.ts';

/** What to tell a person about a place that workers wait for. */
export function outageLine({ place }: Pick<Ledger, 'place'>, event: OutageEvent): string {
  const what = event.of === 'ledger' ? 'database of the ledger' : 'store';
  if (event.type === 'back')
    return `The ${what} answers again, after ${String(Math.round(event.afterMs / 1_000))} s. Work goes on.`;
  return event.of === 'ledger'
    ? `The ${what} ${place} does not answer. Nothing is sent until it does; answers on their way are kept. ${event.problem}`
    : `The ${what} does not answer (${event.problem}). Nothing more is paid for until it does; what is paid for is stored then.`;
}
