import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { foldersOf } from '../../../store/layout.ts';
import { aBatch, ledgerForEachTest } from '../setup.ts';

let ledger: Ledger;
ledgerForEachTest((made) => {
  ledger = made;
});

async function layoutOf(name: string): Promise<{ readonly stem: string; readonly rowsAFolder: number | null }> {
  await ledger.createBatch(aBatch(name));
  const found = await ledger.findBatch(name);
  if (found === undefined) throw new Error(`there is no batch ${name}`);
  return found.layout;
}

describe('where the files of a batch lie', () => {
  it('is a folder of its own, also where the disk takes two names for one', async () => {
    const names = ['Lines', 'lines', 'caf\u00e9', 'cafe\u0301'];
    const stems = await Promise.all(names.map(async (name) => (await layoutOf(name)).stem));
    const asOnAnotherDisk = stems.map((stem) => stem.normalize('NFC').toLowerCase());
    expect(new Set(asOnAnotherDisk).size).toBe(names.length);
    expect(stems[0]).toMatch(/^Lines-[0-9a-f]{10}$/);
  });

  it('has a name that a folder can have', async () => {
    const { stem } = await layoutOf('🎬'.repeat(60));
    expect(Buffer.byteLength(stem)).toBeLessThan(255);
    expect(stem).toMatch(/^🎬{48}-[0-9a-f]{10}$/u);
  });

  it('has far fewer than 100,000 files in a folder', async () => {
    const layout = await layoutOf('large');
    expect(foldersOf(layout, 1_000_000)).toEqual(['0099']);
    const together = Array.from({ length: 30_000 }, (_, at) => foldersOf(layout, at + 1)[0]).filter(
      (folder) => folder === '0001',
    );
    expect(together).toHaveLength(10_000);
  });
});
