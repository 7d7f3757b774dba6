import { expect, it } from '@jest/globals';
import { findBatch, type FoundBatch } from '../../batches/find-batch.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';

const BATCHES = [
  { name: 'old', createdAt: 1 },
  { name: 'new', createdAt: 3 },
  { name: 'middle', createdAt: 2 },
] as BatchRecord[];
const find = (name: string | undefined, batches = BATCHES): Promise<FoundBatch> =>
  findBatch({ listBatches: () => Promise.resolve(batches) }, name);

it('finds a batch by its name, and the newest without one', async () => {
  expect(await find('middle')).toEqual({ type: 'found', batch: BATCHES[2] });
  expect(await find(undefined)).toEqual({ type: 'found', batch: BATCHES[1] });
});

it('says which there are where there is none of the name', async () => {
  expect(await find('other')).toEqual({ type: 'missing', known: ['old', 'new', 'middle'] });
  expect(await find(undefined, [])).toEqual({ type: 'missing', known: [] });
});
