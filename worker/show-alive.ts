import type { Dependencies } from '../activities/dependencies.ts';

/** How often a worker records that it is alive, ms. */
const BEAT_EVERY_MS = 2_000;

/** Records in the ledger that this worker is alive, until it is ended. A beat that cannot be written is skipped. */
export async function showAlive({
  ledger,
  realm,
  owner,
}: Pick<Dependencies, 'ledger' | 'realm' | 'owner'>): Promise<{ end(): Promise<void> }> {
  const me = { owner, apiUrl: realm.apiUrl, account: realm.account };
  let beating: Promise<unknown> = ledger.beat(me);
  await beating;
  const timer = setInterval(() => {
    beating = beating.then(() => ledger.beat(me)).catch(() => undefined);
  }, BEAT_EVERY_MS);
  return {
    end: async () => {
      clearInterval(timer);
      await beating;
      await ledger.forgetWorkers({ owner }).catch(() => undefined);
    },
  };
}
