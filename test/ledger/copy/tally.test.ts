import { describe, expect, it } from '@jest/globals';
import { compareTallies, countAgain, readRecorded } from '../../../ledger/copy/tally.ts';
import { fill, INTENT, aKey, ledger, ledgerForEachTest } from '../setup.ts';
import { inside } from '../inside.ts';

ledgerForEachTest(() => fill(ledger, 3));

/** Where what is kept differs from what is counted. */
function differences(): Promise<ReturnType<typeof compareTallies>> {
  return inside(ledger, async (db) => compareTallies(await countAgain(db), await readRecorded(db), true));
}

/** Charges row 1 with so many credits, and lets the ledger keep this sum. */
async function charge(credits: number, kept: number): Promise<void> {
  await ledger.intend(aKey(1), { ...INTENT, quoted: credits });
  await inside(ledger, async (db) => {
    await db.updateTable('charges').set({ state: 'done', charged: credits, charged_from: 'api' }).execute();
    await db.updateTable('sums').set({ charged: kept }).execute();
  });
}

describe('a tally', () => {
  it('is the same counted and kept', async () => {
    await charge(2.123456, 2.123456);
    expect(await differences()).toEqual([]);
  });

  it('shows the smallest difference of a sum, and one row of a count', async () => {
    await charge(2.123456, 2.123457);
    await inside(ledger, (db) =>
      db.updateTable('row_counts').set({ n: 3, recent: 1 }).where('standing', '=', 'waiting').execute(),
    );
    expect(await differences()).toEqual([
      { batch: 'b', what: 'rows waiting', expected: 2, got: 3 },
      { batch: 'b', what: 'rows waiting, recently', expected: 0, got: 1 },
      { batch: 'b', what: 'charged', expected: 2.123456, got: 2.123457 },
    ]);
  });

  it('lets the roundings of amounts with more decimals pass, and no more than those', async () => {
    await charge(2.1234565, 2.123459);
    expect(await differences()).toEqual([]);
    await inside(ledger, (db) => db.updateTable('sums').set({ charged: 2.123462 }).execute());
    expect(await differences()).toMatchObject([{ what: 'charged', got: 2.123462 }]);
  });

  it('misses no batch that is only on one side', async () => {
    await inside(ledger, (db) => db.deleteFrom('row_counts').execute());
    expect(await differences()).toEqual([{ batch: 'b', what: 'rows waiting', expected: 3, got: 0 }]);
  });
});
