import { openLedger } from '../../ledger/open-ledger.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Counts } from '../../ledger/batches/counts.ts';
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

async function withLedger<T>(world: LiveWorld, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await openLedger(world.ledger);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** How many requests each worker has recorded for a batch. */
export async function sentByWorker(world: LiveWorld, batch: string): Promise<readonly number[]> {
  return withLedger(world, (ledger) => countByOwner(ledger, batch));
}

/** Waits until so many workers have recorded a request for a batch. */
export async function untilSentBy(world: LiveWorld, batch: string, workers: number): Promise<void> {
  await withLedger(world, async (ledger) => {
    await waitFor(async () => (await countByOwner(ledger, batch)).length >= workers, undefined, 500);
  });
}

/** How many requests each worker has recorded for a batch in this ledger. */
export async function countByOwner(ledger: Ledger, batch: string): Promise<readonly number[]> {
  const counts = new Map<string, number>();
  for await (const { charges } of ledger.scanRows(batch))
    for (const { owner } of charges) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return [...counts.values()];
}
