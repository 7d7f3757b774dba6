import type { Ledger } from '../../ledger/ledger.ts';
import { watchOutage } from '../../worker/watch-outage.ts';
import { outageLine } from '../work/outage-line.ts';

/** Tells a person who follows a batch when the ledger's database goes away and comes back. Returns how to end that. */
export function tellOfLedger(ledger: Pick<Ledger, 'outage' | 'place'>, say: (line: string) => void): () => void {
  return watchOutage(
    'ledger',
    () => ledger.outage(),
    (event) => {
      say(outageLine(ledger, event));
    },
  );
}
