import { expect, it } from '@jest/globals';
import { roundedSum } from '../../../ledger/money/batch-sums.ts';
import { inside } from '../inside.ts';
import { fill, ledger, ledgerForEachTest } from '../setup.ts';

ledgerForEachTest(() => fill(ledger, 1));

// Halves of a millionth, which a double has exactly once it is multiplied; dust on both sides of 0; and a large sum.
it.each([0.5e-6, 1.5e-6, 2.5e-6, -0.5e-6, -1.5e-6, -2.5e-6, 1e-7, -1e-7, 0.1 + 0.2, 2_000_000_000.000_236])(
  'the triggers round %d as a group of writes does, which asks for sums only once',
  async (sum) => {
    const kept = await inside(ledger, async (db) => {
      await db.updateTable('rows').set({ promised: sum }).execute();
      return db.selectFrom('sums').select('promised').executeTakeFirst();
    });
    expect(kept?.promised).toBe(roundedSum(sum));
  },
);
