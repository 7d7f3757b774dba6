import { describe, expect, it } from '@jest/globals';
import { billNewlyChosen, openNewlyChosen } from '../../batches/newly-chosen.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { aBatch, aRow, ledgerForEachTest } from '../ledger/setup.ts';

const ROWS = 1_203;

let ledger: Ledger;
let batch: BatchRecord;
ledgerForEachTest(async (made) => {
  ledger = made;
  await ledger.createBatch({ ...aBatch(), subset: { type: 'limit', rows: 3 } });
  const lines = Array.from({ length: ROWS }, (_, at) => ({ ...aRow(at + 1), isNotChosen: at >= 3 }));
  await ledger.addRows('b', lines);
  await ledger.openBatch('b', ROWS);
  batch = (await ledger.findBatch('b')) as BatchRecord;
});

const all = (): boolean => true;
const limit = 703;
const first = ({ row }: { row: number }): boolean => row <= limit;

describe('rows that are chosen by a later run', () => {
  it('are priced: those only that no run before chose', async () => {
    expect(await billNewlyChosen(ledger, batch, first, 100)).toMatchObject({
      rows: 700,
      bill: { quoted: 1_750, unpriced: 0, affordable: { rows: 40, quoted: 100 } },
      isEstimate: true,
    });
    expect(await billNewlyChosen(ledger, batch, ({ row }) => row <= 2, null)).toMatchObject({ rows: 0 });
  });

  it('are opened, in several transactions, and after a kill only the others', async () => {
    const subset = { type: 'limit', rows: limit } as const;
    let calls = 0;
    const dying = {
      ...ledger,
      openNotChosen: async (...args: Parameters<Ledger['openNotChosen']>) => {
        calls += 1;
        if (calls > 1) throw new Error('killed');
        return ledger.openNotChosen(...args);
      },
    };
    await expect(openNewlyChosen(dying, 'b', subset, first)).rejects.toThrow('killed');
    expect(await ledger.counts('b')).toMatchObject({ notChosen: 700, states: { waiting: 503 } });
    // What goes on with the batch now asks for no more than was asked for.
    expect(await ledger.findBatch('b')).toMatchObject({ subset });
    expect(await openNewlyChosen(ledger, 'b', subset, first)).toBe(200);
    expect(await openNewlyChosen(ledger, 'b', subset, first)).toBe(0);
    expect(await openNewlyChosen(ledger, 'b', null, all)).toBe(500);
    expect(await ledger.counts('b')).toMatchObject({ notChosen: 0, states: { waiting: ROWS } });
  });

  it('are not opened in a batch that is being stopped', async () => {
    await ledger.setControl('b', 'stopping');
    expect(await openNewlyChosen(ledger, 'b', null, all)).toBe(0);
  });
});
