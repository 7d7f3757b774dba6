import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { connectApi, realmOf } from '../../client/connect-api.ts';
import { openVoxbatch, type Voxbatch } from '../../client/voxbatch.ts';
import { startSimulator, type Simulator } from '../../simulator/start-simulator.ts';
import { addSampleBatch } from '../results/sample-batch.ts';
import { freshPlace, type Place } from '../support/place.ts';

/** Adds the sample batch as one of the simulator, so that what needs the API can be done with it. */
export async function addSampleBatchOf({ url: baseUrl, token }: Simulator, place: Place): Promise<void> {
  const open = await connectApi({ baseUrl, token });
  open.api.close();
  const { ledger } = place;
  const createBatch: typeof ledger.createBatch = (batch) => ledger.createBatch({ ...batch, ...realmOf(open) });
  await addSampleBatch({ ...place, ledger: { ...ledger, createBatch } });
}

/**
 * Opens the library on the sample batch for each test. After each, the batch must be closed still, and nothing paid for: what is asked here
 * sends nothing.
 */
export function libraryOnSampleBatch(): { readonly place: Place; readonly library: () => Voxbatch } {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  afterAll(() => simulator.close());

  let voxbatch: Voxbatch;
  // Before the place is closed.
  afterEach(async () => {
    await voxbatch.close();
    expect((await place.ledger.findBatch('demo'))?.state).toBe('closed');
    expect(simulator.ledger()).toEqual([]);
  });
  const place = freshPlace();
  beforeEach(async () => {
    await addSampleBatchOf(simulator, place);
    const api = { url: simulator.url, token: simulator.token };
    voxbatch = openVoxbatch({ api, home: place.folder, config: { confirmAbove: 0 } });
  });
  return { place, library: () => voxbatch };
}
