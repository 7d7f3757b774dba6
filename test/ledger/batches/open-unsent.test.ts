import { beforeEach, describe, expect, it } from '@jest/globals';
import { LedgerMisuse } from '../../../ledger/errors.ts';
import { ask, complete, redrive } from '../actions.ts';
import { batchOf, chargesOf, claimed, close, money, rowOf } from '../readings.ts';
import type { Loading } from '../../../ledger/batches/batch-records.ts';
import { aBatch, aKey, aRow, claimAnew, ledger, ledgerForEachTest, upTo } from '../setup.ts';

const SUBSET = { type: 'limit', rows: 2 } as const;

ledgerForEachTest();

/** Loads the batch `b` of so many rows, of which the first two are chosen. */
async function loadSome(rows: number): Promise<Loading> {
  const loading = await ledger.createBatch({ ...aBatch(), subset: SUBSET });
  await ledger.addRows(
    loading,
    upTo(rows).map((row) => ({ ...aRow(row), isNotChosen: row > SUBSET.rows })),
  );
  return loading;
}

/** Ends the chosen rows, and the batch with them. */
async function endChosen(): Promise<void> {
  for (const { row } of (await claimAnew(ledger)).rows) await complete(aKey(row.row, 1, row.take), { credits: 2 });
  await close();
}

describe('rows that are not chosen', () => {
  beforeEach(async () => {
    await ledger.openBatch(await loadSome(5), 5);
  });

  it('have ended from the start, are given to nobody, and do not keep the batch open', async () => {
    expect(await batchOf()).toMatchObject({ subset: SUBSET, rows: 5 });
    expect(await ledger.counts('b')).toMatchObject({ total: 5, notChosen: 3, outcomes: { skipped: 3 } });
    const failure = { class: 'NotChosen', message: 'Not chosen by --limit 2. Nothing was sent.' };
    expect(await rowOf(3)).toMatchObject({ outcome: 'skipped', failure, endedAt: null });
    expect(await ask(3)).toBe('blocked');
    expect(await claimed()).toEqual([1, 2]);
    await endChosen();
    expect(await ledger.commonReasons('b', 5)).toEqual([]);
  });

  it('are opened at their first take, with the closed batch, once, and nothing else is', async () => {
    await endChosen();
    const more = { type: 'limit', rows: 4 } as const;
    expect(await ledger.openUnsent('b', more, [1, 2, 3, 4])).toBe(2);
    expect(await ledger.openUnsent('b', more, [3, 4])).toBe(0);
    expect(await batchOf()).toMatchObject({ state: 'open', subset: more, closedAt: null });
    const now = { notChosen: 1, states: { waiting: 2 }, outcomes: { succeeded: 2 } };
    expect(await ledger.counts('b')).toMatchObject(now);
    await endChosen();
    expect(await ledger.openUnsent('b', null, [5])).toBe(1);
    await endChosen();
    expect(await ledger.counts('b')).toMatchObject({ total: 5, notChosen: 0, outcomes: { succeeded: 5, skipped: 0 } });
    expect((await batchOf()).subset).toBeNull();
    expect((await money()).charged).toBe(10);
    for (const row of upTo(5)) expect(await chargesOf(row)).toHaveLength(1);
  });

  it('are priced apart from those that the budget skipped, and scanned apart', async () => {
    await ledger.tune('b', { budget: 2.5 });
    await complete(1);
    expect(await ask(2)).toBe('over-budget');
    expect(await ledger.counts('b')).toMatchObject({ notChosen: 3, outcomes: { skipped: 4 } });
    expect(await ledger.skippedQuotes('b')).toEqual({ overBudget: 2.5, notChosen: 7.5 });
    const scan = async (isNotChosen: boolean): Promise<number[]> => {
      const rows: number[] = [];
      for await (const { row } of ledger.scanRows('b', { outcome: 'skipped', isNotChosen })) rows.push(row.row);
      return rows;
    };
    expect([await scan(true), await scan(false)]).toEqual([[3, 4, 5], [2]]);
  });

  it('may be redriven like any row that has ended', async () => {
    await endChosen();
    expect(await redrive(4)).toEqual({ rows: [4], left: [] });
    expect(await ledger.counts('b')).toMatchObject({ notChosen: 2 });
    expect(await ledger.openUnsent('b', null, [3, 4, 5])).toBe(2);
  });

  it('stay as they are while the batch is being stopped', async () => {
    await ledger.setControl('b', 'stopping');
    await expect(ledger.openUnsent('b', null, [3])).rejects.toThrow(LedgerMisuse);
    await ledger.cancelRest('b');
    expect(await ledger.counts('b')).toMatchObject({ notChosen: 3, outcomes: { cancelled: 2 } });
  });
});

it('a load that was killed leaves no count of rows that are not chosen', async () => {
  await loadSome(4);
  await ledger.discardLoading('b');
  await ledger.openBatch(await loadSome(3), 3);
  expect(await ledger.counts('b')).toMatchObject({ total: 3, notChosen: 1 });
});
