import { describe, expect, it } from '@jest/globals';
import { BatchCache } from '../../../activities/cache/batch-cache.ts';
import type { BatchRecord } from '../../../ledger/batches/batch-records.ts';

/** A ledger of one batch that counts how often it is asked. */
function ledgerOf(answer: () => Promise<BatchRecord>): { asked: number; findBatch: () => Promise<BatchRecord> } {
  const ledger = {
    asked: 0,
    findBatch: () => {
      ledger.asked += 1;
      return answer();
    },
  };
  return ledger;
}

const BATCH = { name: 'b' } as BatchRecord;

describe('BatchCache', () => {
  it('asks once for all who want the same batch within its time', async () => {
    const ledger = ledgerOf(() => Promise.resolve(BATCH));
    const cache = new BatchCache(ledger, 60_000);
    expect(await Promise.all([cache.read('b'), cache.read('b')])).toEqual([BATCH, BATCH]);
    expect(await cache.read('b')).toBe(BATCH);
    expect(ledger.asked).toBe(1);
  });

  it('asks again when its time is over', async () => {
    const ledger = ledgerOf(() => Promise.resolve(BATCH));
    const cache = new BatchCache(ledger, 0);
    await cache.read('b');
    await cache.read('b');
    expect(ledger.asked).toBe(2);
  });

  it('takes a failed read for no answer', async () => {
    let isGone = true;
    const ledger = ledgerOf(() => (isGone ? Promise.reject(new Error('the disk is full')) : Promise.resolve(BATCH)));
    const cache = new BatchCache(ledger, 60_000);
    await expect(cache.read('b')).rejects.toThrow('the disk is full');
    isGone = false;
    expect(await cache.read('b')).toBe(BATCH);
  });
});
