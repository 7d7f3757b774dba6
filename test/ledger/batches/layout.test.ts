import { describe, expect, it } from '@jest/globals';
import type { BatchRecord } from '../../../ledger/batches/batch-records.ts';
import { foldersOf } from '../../../store/layout.ts';
import { batchOf } from '../readings.ts';
import { aBatch, ledger, ledgerForEachTest, upTo } from '../setup.ts';

ledgerForEachTest();

async function layoutOf(name: string): Promise<BatchRecord['layout']> {
  await ledger.createBatch(aBatch(name));
  return (await batchOf(name)).layout;
}

describe('where the files of a batch lie', () => {
  it('is a folder of its own, also where the disk takes two names for one, which a folder can have', async () => {
    const names = ['Lines', 'lines', 'caf\u00e9', 'cafe\u0301'];
    const stems = await Promise.all(names.map(async (name) => (await layoutOf(name)).stem));
    const asOnAnotherDisk = stems.map((stem) => stem.normalize('NFC').toLowerCase());
    expect(new Set(asOnAnotherDisk).size).toBe(names.length);
    expect(stems[0]).toMatch(/^Lines-[0-9a-f]{10}$/);
    const { stem } = await layoutOf('🎬'.repeat(60));
    expect(Buffer.byteLength(stem)).toBeLessThan(255);
    expect(stem).toMatch(/^🎬{48}-[0-9a-f]{10}$/u);
  });

  it('has far fewer than 100,000 files in a folder', async () => {
    const layout = await layoutOf('large');
    expect(foldersOf(layout, 1_000_000)).toEqual(['0099']);
    expect(upTo(30_000).filter((row) => foldersOf(layout, row)[0] === '0001')).toHaveLength(10_000);
  });
});
