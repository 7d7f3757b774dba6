import { expect, it } from '@jest/globals';
import { findBatch, type FoundBatch } from '../../client/open-records.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';

const batchAt = (name: string, createdAt: number, single?: string): BatchRecord =>
  ({ name, createdAt, settings: single === undefined ? {} : { single } }) as BatchRecord;
const BATCHES = [batchAt('old', 1), batchAt('new', 3), batchAt('middle', 2)];
const SAID = batchAt('say-1', 9, 'say');
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

it('takes a single job only by its name, or where there is nothing else', async () => {
  expect(await find(undefined, [...BATCHES, SAID])).toEqual({ type: 'found', batch: BATCHES[1] });
  expect(await find('say-1', [...BATCHES, SAID])).toEqual({ type: 'found', batch: SAID });
  expect(await find(undefined, [SAID])).toEqual({ type: 'found', batch: SAID });
  expect(await find('other', [...BATCHES, SAID])).toEqual({ type: 'missing', known: ['old', 'new', 'middle'] });
});
