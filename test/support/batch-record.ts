import { openLedger } from '../../ledger/open-ledger.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, Counts } from '../../ledger/record-types.ts';
import type { LiveWorld } from './live-world.ts';
import { waitFor } from './wait-for.ts';

/**
 * Waits until the record of a batch says something. It is read in this process: to run `voxbatch status` for each look would keep a core
 * busy that the batch needs.
 */
export async function untilRecorded(
  world: LiveWorld,
  batch: string,
  says: (record: BatchRecord, counts: Counts) => boolean,
): Promise<void> {
  await withLedger(world, async (ledger) => {
    await waitFor(async () => {
      const [record, counts] = [await ledger.findBatch(batch), await ledger.counts(batch)];
      return record !== undefined && says(record, counts);
    });
  });
}

/**
 * Lets a batch send so many paid requests a second, null: as fast as it can. As `voxbatch tune` does it, but without the seconds that a
 * command takes on a busy machine, in which a small batch would come to its end. Workers hear of it within a second.
 */
export async function changeRate(world: LiveWorld, batch: string, rate: number | null): Promise<void> {
  await withLedger(world, (ledger) => ledger.tune(batch, { limits: { rate } }));
}

/** Waits until so many workers have a lane of the batch. */
export async function untilAtWork(world: LiveWorld, batch: string, workers: number): Promise<void> {
  await withLedger(world, async (ledger) => {
    await waitFor(async () => new Set((await ledger.laneOwners(batch)).map(({ owner }) => owner)).size === workers);
  });
}

async function withLedger(world: LiveWorld, work: (ledger: Ledger) => Promise<unknown>): Promise<void> {
  const ledger = await openLedger(world.path('.voxbatch', 'ledger.db'));
  try {
    await work(ledger);
  } finally {
    await ledger.close();
  }
}
