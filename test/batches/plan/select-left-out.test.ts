import { describe, expect, it } from '@jest/globals';
import type { IdentifyMedia } from '../../../batches/cache/media-identities.ts';
import { billRemaining, type NewlyChosen } from '../../../batches/plan/bill-remaining.ts';
import { openNewlyChosen } from '../../../batches/plan/select-left-out.ts';
import { BUILT_IN_PRICES } from '../../../contract/row-kinds.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { BatchRecord } from '../../../ledger/batches/batch-records.ts';
import { accept, finish } from '../../ledger/actions.ts';
import { batchOf } from '../../ledger/readings.ts';
import { aKey, aRow, ledger, ledgerForEachTest, load, partsOf, upTo } from '../../ledger/setup.ts';
import { ANN } from '../../support/ann.ts';

const ROWS = 1_203;

let batch: BatchRecord;
ledgerForEachTest(async () => {
  const lines = upTo(ROWS).map((row) => ({ ...aRow(row), isNotChosen: row > 3 }));
  await load(lines, { settings: { prices: BUILT_IN_PRICES }, subset: { type: 'limit', rows: 3 } });
  batch = await batchOf();
});

const all = (): boolean => true;
const NO_OUTLOOK = { ratios: [], beyondLost: 0 };
const room = { isChosen: () => false, left: null, outlook: NO_OUTLOOK };

async function priceOf(
  of: BatchRecord,
  isChosen: (row: { row: number }) => boolean,
  budget: number | null,
): Promise<NewlyChosen> {
  const identify: IdentifyMedia = () => Promise.resolve(new Map());
  const request = { ledger, account: of, settings: of.settings, identify, budget };
  return (await billRemaining(ledger, of, { isChosen, room, isAny: true }, request)).more;
}

const limit = 703;
const first = ({ row }: { row: number }): boolean => row <= limit;

describe('rows that are chosen by a later run', () => {
  it('are priced: those only that no run before chose', async () => {
    expect(await priceOf(batch, first, 100)).toMatchObject({
      rows: 700,
      bill: { quoted: 1_750, unpriced: 0, affordable: { rows: 40, quoted: 100 } },
      isEstimate: true,
    });
    expect(await priceOf(batch, ({ row }) => row <= 2, null)).toMatchObject({ rows: 0 });
  });

  it('are priced by what the API charged for the rows before, which is what the budget has to pay', async () => {
    await accept(1, { credits: 6 }, { quoted: 3 });
    // Of this one the API did not tell the price.
    await accept(2, {}, { quoted: 3 });
    // Every text costs as much again as its quote: 3 for `Row 4` to `Row 9`, 4 for `Row 10` and `Row 11`.
    const few = ({ row }: { row: number }): boolean => row <= 11;
    expect(await priceOf(batch, few, 18)).toMatchObject({
      rows: 8,
      quoted: 20,
      bill: { quoted: 20 + 6 * 3 + 2 * 3, affordable: { rows: 3, quoted: 16.5 } },
    });
  });

  it('are priced with the rows of earlier runs that wait for their voices', async () => {
    const speaks = { ...aRow(1).spec, voice: 'name:N' };
    const waits = { ...aRow(1), spec: speaks, waitsFor: { type: 'made', row: 3 } } as const;
    const rows = [waits, aRow(2), { ...aRow(3, 'voice'), isNotChosen: true }];
    await load(rows, { name: 'voices', subset: { type: 'limit', rows: 2 } });
    const voices = await batchOf('voices');
    expect(await priceOf(voices, all, null)).toMatchObject({ rows: 1, dependents: 1, quoted: 5 });
    expect(await priceOf(batch, first, null)).toMatchObject({ dependents: 0 });
  });

  it('are priced without a part that a person gave its job: that was paid', async () => {
    const parts = partsOf(3, 'One.', 'Two.', 'Three.');
    const rows = [aRow(1), { ...aRow(2), quoted: 3, parts, isNotChosen: true }];
    await load(rows, { name: 'parts', subset: { type: 'limit', rows: 1 } });
    const record = await batchOf('parts');
    expect(await priceOf(record, all, null)).toMatchObject({ rows: 1, quoted: 3 });
    const key = { ...aKey(4), batch: 'parts' };
    expect(await ledger.decide(key, { type: 'adopted', jobId: 'j', isUnsent: true }, ANN)).toBe(true);
    await finish(key);
    expect(await ledger.counts('parts')).toMatchObject({ notChosen: 1 });
    expect(await priceOf(record, all, null)).toMatchObject({ rows: 1, quoted: 2 });
  });

  it('are opened, in several transactions, and after a kill only the others', async () => {
    const subset = { type: 'limit', rows: limit } as const;
    let calls = 0;
    const dying = {
      ...ledger,
      openUnsent: async (...args: Parameters<Ledger['openUnsent']>) => {
        calls += 1;
        if (calls > 1) throw new Error('killed');
        return ledger.openUnsent(...args);
      },
    };
    await expect(openNewlyChosen(dying, batch, subset, { isChosen: first, room, by: ANN })).rejects.toThrow('killed');
    expect(await ledger.counts('b')).toMatchObject({ notChosen: 700, states: { waiting: 503 } });
    // What goes on with the batch now asks for no more than was asked for.
    expect(await ledger.findBatch('b')).toMatchObject({ subset });
    expect(await openNewlyChosen(ledger, batch, subset, { isChosen: first, room, by: ANN })).toBe(200);
    expect(await openNewlyChosen(ledger, batch, subset, { isChosen: first, room, by: ANN })).toBe(0);
    expect(await openNewlyChosen(ledger, batch, null, { isChosen: all, room, by: ANN })).toBe(500);
    expect(await ledger.counts('b')).toMatchObject({ notChosen: 0, states: { waiting: ROWS } });
  });

  it('are not opened in a batch that is being stopped', async () => {
    await ledger.setControl('b', 'stopping');
    expect(await openNewlyChosen(ledger, batch, null, { isChosen: all, room, by: ANN })).toBe(0);
  });
});
