import { standstillOf, type Standstill, type StandstillLedger } from '../batches/standstill.ts';
import type { BatchRecord } from '../ledger/record-types.ts';

/** Why a batch stands still, for people, with what to do. */
export function standstillWords(standstill: Standstill, { apiUrl }: Pick<BatchRecord, 'apiUrl'>): string {
  switch (standstill) {
    case 'no-worker':
      return 'No worker polls this queue. Start one with the same settings and token: voxbatch worker';
    case 'no-answer':
      return `The API at ${apiUrl} does not answer, or only with errors. voxbatch keeps trying. To find out why: voxbatch doctor`;
  }
}

/** Says why a batch stands still, once as long as it is the same; `worksHere`: a worker of our own says a moment later that it is there. */
export function standstillTeller(
  { ledger, worksHere }: { readonly ledger: StandstillLedger; readonly worksHere: boolean },
  say: (line: string) => void,
): (batch: BatchRecord) => Promise<void> {
  let said: Standstill | undefined;
  return async (batch) => {
    const found = await standstillOf(ledger, batch);
    const standstill = found === 'no-worker' && worksHere ? undefined : found;
    if (standstill !== undefined && standstill !== said) say(standstillWords(standstill, batch));
    said = standstill;
  };
}
