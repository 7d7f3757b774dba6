import type { StoringLedger } from '../../client/claim-store.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** What of a ledger is asked about its store: a record in memory. */
export function storingLedger(
  id: string,
  place: string,
  stored?: Awaited<ReturnType<Ledger['findStoredFile']>>,
): StoringLedger & Pick<Ledger, 'recordStore' | 'replaceStore'> {
  let store: string | undefined;
  return {
    id,
    place,
    findStoredFile: () => Promise.resolve(stored),
    storeId: () => Promise.resolve(store),
    recordStore: (one) => Promise.resolve((store ??= one)),
    replaceStore: (one) => {
      store = one;
      return Promise.resolve();
    },
  };
}
