import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { discardLoading } from '../../../ledger/batches/change-batches.ts';
import { setBatch } from '../../../ledger/batches/set-batch.ts';
import { write } from '../../../ledger/database/transactions.ts';
import { BatchExists, LoadTakenOver } from '../../../ledger/errors.ts';
import type { LoadedRow } from '../../../ledger/rows/row-records.ts';
import type { Loading } from '../../../ledger/batches/batch-records.ts';
import { scaleRuns } from '../../support/property-runs.ts';
import { inside } from '../inside.ts';
import { batchOf } from '../readings.ts';
import { aBatch, aRow, ledger, ledgerForEachTest, upTo } from '../setup.ts';

ledgerForEachTest();

/** Rows of one start, which its texts name. */
function rowsOf(start: string, from: number, to: number): readonly LoadedRow[] {
  return upTo(to)
    .slice(from - 1)
    .map((row) => ({ ...aRow(row), spec: { ...aRow(row).spec, text: start } }));
}

/** How many rows of each start the batch has. */
async function startsIn(batch: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for await (const { row } of ledger.scanRows(batch)) {
    const start = row.spec.text ?? '';
    found[start] = (found[start] ?? 0) + 1;
  }
  return found;
}

describe('a load that another start takes over', () => {
  it('adds and opens nothing more, before and after the other one has opened the batch', async () => {
    const first = await ledger.createBatch(aBatch());
    await ledger.addRows(first, rowsOf('first', 1, 2));
    await ledger.discardLoading('b');
    await expect(ledger.addRows(first, rowsOf('first', 3, 4))).rejects.toThrow(LoadTakenOver);
    await expect(ledger.openBatch(first, 0)).rejects.toThrow(LoadTakenOver);
    const second = await ledger.createBatch(aBatch());
    await ledger.addRows(second, rowsOf('second', 1, 2));
    await expect(ledger.addRows(first, rowsOf('first', 3, 4))).rejects.toThrow(LoadTakenOver);
    await expect(ledger.openBatch(first, 2)).rejects.toThrow(LoadTakenOver);
    await ledger.addRows(second, rowsOf('second', 3, 4));
    await ledger.openBatch(second, 4);
    await expect(ledger.openBatch(first, 4)).rejects.toThrow(LoadTakenOver);
    expect(await batchOf()).toMatchObject({ state: 'open', rows: 4, layout: { stem: second.stem } });
    expect(await startsIn('b')).toEqual({ second: 4 });
  });

  it('adds nothing while its rows are being removed', async () => {
    const first = await ledger.createBatch(aBatch());
    await ledger.addRows(first, rowsOf('first', 1, 2_500));
    const discarded = ledger.discardLoading('b');
    await expect(ledger.addRows(first, rowsOf('first', 2_501, 2_600))).rejects.toThrow(LoadTakenOver);
    await discarded;
    expect(await ledger.findBatch('b')).toBeUndefined();
  });

  it('is left alone by whoever was removing the one before', async () => {
    const former = await ledger.createBatch(aBatch());
    await ledger.addRows(former, rowsOf('former', 1, 3));
    await inside(ledger, async (db) => {
      const discarded = discardLoading(db, 'b');
      // Comes between its first transaction and its second, as another process may.
      const begun = write(db, (tx) => setBatch(tx, 'b', { stem: 'of the next' }));
      await Promise.all([discarded, begun]);
    });
    expect(await startsIn('b')).toEqual({ former: 3 });
  });

  it('is not opened where a program of the version before has removed rows, which leaves all else', async () => {
    const loading = await ledger.createBatch(aBatch());
    await ledger.addRows(loading, rowsOf('first', 1, 3));
    await inside(ledger, (db) => db.deleteFrom('rows').where('batch', '=', 'b').where('row', '=', 1).execute());
    await expect(ledger.openBatch(loading, 3)).rejects.toThrow('batch "b" has 2 of 3 rows in the ledger');
    expect(await batchOf()).toMatchObject({ state: 'loading' });
  });

  it('is not opened by a program of the version before, which looks at nothing but the count of rows', async () => {
    const loading = await ledger.createBatch(aBatch());
    await ledger.addRows(loading, rowsOf('first', 1, 2_500));
    const discarded = ledger.discardLoading('b');
    // Committed after it was taken over, and before the last of its rows is gone.
    await ledger.createBatch(aBatch('c'));
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'loading', rows: 0 });
    await discarded;
  });
});

const STARTS = ['one', 'two', 'three'] as const;
/** They are removed in two transactions. */
const ROWS = 1_200;
const ROWS_AT_ONCE = 400;
/** Whose next step is begun, and whether it ends before the next one begins. */
const step = fc.record({ start: fc.constantFrom(...STARTS), ends: fc.boolean() });

/** Which starts have opened the batch, and which were told that others have it. */
interface Told {
  readonly opened: string[];
  readonly lost: string[];
}
type Load = AsyncGenerator<undefined, void, void>;

/** A start whose lock keeps nobody out. */
async function* load(batch: string, start: string, { opened, lost }: Told): Load {
  try {
    await ledger.discardLoading(batch);
    yield;
    const loading: Loading = await ledger.createBatch(aBatch(batch));
    for (let from = 1; from <= ROWS; from += ROWS_AT_ONCE) {
      yield;
      await ledger.addRows(loading, rowsOf(start, from, from + ROWS_AT_ONCE - 1));
    }
    yield;
    await ledger.openBatch(loading, ROWS);
    opened.push(start);
  } catch (error) {
    if (!(error instanceof LoadTakenOver) && !(error instanceof BatchExists)) throw error;
    if (error instanceof LoadTakenOver) lost.push(start);
  }
}

async function finish(load: Load): Promise<void> {
  while ((await load.next()).done !== true);
}

it('a batch is opened by one start, with all rows of that and no others, however the steps of several mix', async () => {
  let stories = 0;
  let losses = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const batch = `b${(stories += 1)}`;
      const told: Told = { opened: [], lost: [] };
      const loads = new Map(STARTS.map((start) => [start, load(batch, start, told)]));
      const begun: Promise<unknown>[] = [];
      for (const { start, ends } of steps) {
        const next = loads.get(start)?.next();
        begun.push(next ?? Promise.resolve());
        if (ends) await next;
      }
      await Promise.all(begun);
      // Who was told of the loss begins again, and so does who was killed.
      if (told.opened.length === 0) await finish(load(batch, 'again', told));
      // Who is late changes nothing any more.
      for (const late of loads.values()) await finish(late);
      expect(told.opened).toHaveLength(1);
      expect(await ledger.findBatch(batch)).toMatchObject({ state: 'open', rows: ROWS });
      expect(await startsIn(batch)).toEqual({ [String(told.opened[0])]: ROWS });
      expect((await ledger.counts(batch)).total).toBe(ROWS);
      losses += told.lost.length;
    }),
    { numRuns: scaleRuns(25) },
  );
  expect(losses).toBeGreaterThan(0);
});
