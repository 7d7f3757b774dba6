import { describe, expect, it } from '@jest/globals';
import { findMore } from '../../client/open-chosen.ts';
import type { Subset } from '../../contract/subset.ts';
import type { SoundManifest } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { aBatch, aRow, ledgerForEachTest } from '../ledger/setup.ts';

const DRAWN: Subset = { type: 'sample', rows: 2, seed: 1 };
const ROWS = 6;

let ledger: Ledger;
let batch: BatchRecord;
/** A batch whose sample of two rows, the first ones, was drawn in another way than today. */
ledgerForEachTest(async (made) => {
  ledger = made;
  await ledger.createBatch({ ...aBatch(), subset: DRAWN });
  await ledger.addRows(
    'b',
    Array.from({ length: ROWS }, (_, at) => ({ ...aRow(at + 1), isNotChosen: at >= 2 })),
  );
  await ledger.openBatch('b', ROWS);
  batch = (await ledger.findBatch('b')) as BatchRecord;
});

/** Rows that a run asks for now, and finds by number. */
async function moreOf(subset: Subset | null, chosen: readonly number[]): Promise<number | undefined> {
  const isChosen: SoundManifest['summary']['isChosen'] = ({ row }) => chosen.includes(row);
  const manifest = { summary: { isChosen }, options: { subset } } as unknown as SoundManifest;
  return (await findMore(ledger, batch, manifest, {}))?.rows;
}

describe('rows that an earlier run left out', () => {
  it('are none if the same sample was drawn already, even if it would have other rows now', async () => {
    expect(await moreOf(DRAWN, [5, 6])).toBeUndefined();
  });

  it('are those that a larger sample, another seed or no sample adds', async () => {
    expect(await moreOf({ ...DRAWN, rows: 3 }, [1, 5, 6])).toBe(2);
    expect(await moreOf({ ...DRAWN, seed: 2 }, [5, 6])).toBe(2);
    expect(await moreOf(null, [1, 2, 3, 4, 5, 6])).toBe(4);
  });

  it('are the rest of a sample if a kill cut its opening short', async () => {
    const wider: Subset = { ...DRAWN, rows: 4 };
    await ledger.openNotChosen('b', wider, [5]);
    batch = (await ledger.findBatch('b')) as BatchRecord;
    expect(await moreOf(wider, [1, 2, 5, 6])).toBe(1);
  });
});
