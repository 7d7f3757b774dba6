import { openApi, realmOf } from '../../client/open-api.ts';
import type { Simulator } from '../../simulator/start-simulator.ts';
import { addSampleBatch } from '../results/sample-batch.ts';
import type { Place } from '../support/place.ts';

/** Adds the sample batch as one of the simulator, so that what needs the API can be done with it. */
export async function addSampleBatchOf({ url: baseUrl, token }: Simulator, place: Place): Promise<void> {
  const open = await openApi({ baseUrl, token });
  open.api.close();
  const { ledger } = place;
  const createBatch: typeof ledger.createBatch = (batch) => ledger.createBatch({ ...batch, ...realmOf(open) });
  await addSampleBatch({ ...place, ledger: { ...ledger, createBatch } });
}
