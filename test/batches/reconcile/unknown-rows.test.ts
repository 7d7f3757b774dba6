import { describe, expect, it } from '@jest/globals';
import type { FreeReads } from '../../../batches/free-reads.ts';
import { settleUnknown } from '../../../batches/reconcile/settle.ts';
import { unknownRows } from '../../../batches/rows/find-rows.ts';
import type { SettledRow } from '../../../batches/reconcile/decisions.ts';
import { accept, giveUpWaiting, LOST, lose, redrive, REFUSED, RESUBMIT } from '../../ledger/actions.ts';
import { aBatch, aKey, fill, ledger, ledgerForEachTest, upTo } from '../../ledger/setup.ts';

/** Which rows of a batch are unknown, and what is said of those that are looked for in vain. */

ledgerForEachTest();

/** What becomes of rows whose requests left no trace, and of which requests one was looked for. */
async function look(rows: readonly number[]): Promise<{ settled: readonly SettledRow[]; asked: readonly string[] }> {
  const asked: string[] = [];
  const reads: Pick<FreeReads, 'recoverAnswer'> = {
    recoverAnswer: ({ row, take }) => {
      asked.push(`${row}/${take}`);
      return Promise.resolve({ type: 'none' });
    },
  };
  const settled: SettledRow[] = [];
  for await (const one of settleUnknown(ledger, reads, aBatch(), rows)) settled.push(one);
  return { settled, asked };
}

describe('rows of which it is not known whether they were charged', () => {
  it('are those that are called unknown, or failed for want of an answer, in order of the manifest', async () => {
    await fill(ledger, 7);
    for (const row of [1, 3]) await lose(row, LOST, { outcome: 'failed', failure: LOST });
    await ledger.giveUp(aKey(2), { outcome: 'failed', failure: REFUSED });
    await ledger.giveUp(aKey(6), { outcome: 'failed' });
    await ledger.giveUp(aKey(7), { outcome: 'cancelled', failure: LOST });
    await lose(4);
    expect(await unknownRows(ledger, 'b')).toEqual([1, 3, 4]);
    const { settled, asked } = await look(upTo(7));
    expect(asked).toEqual(['1/1', '3/1', '4/1']);
    const stillUnknown = settled.filter(({ type }) => type === 'still-unknown');
    expect(stillUnknown.map(({ row }) => row)).toEqual([1, 3, 4]);
    expect(settled.filter(({ type }) => type === 'moved-on')).toHaveLength(4);
  });

  it('are told with the job of their present take, if it has one', async () => {
    await fill(ledger, 4);
    await accept(1);
    for (const row of [2, 4]) {
      await accept(row);
      await giveUpWaiting(row);
      await redrive(row, RESUBMIT);
    }
    await lose(aKey(2, 1, 2));
    expect((await look([1, 2, 3, 4])).settled).toMatchObject([
      { row: 1, type: 'moved-on', jobId: 'j1' },
      { row: 2, type: 'still-unknown', jobId: null },
      { row: 3, type: 'moved-on', jobId: null },
      { row: 4, type: 'moved-on', jobId: null },
    ]);
  });

  it('are looked for by their present take alone', async () => {
    await fill(ledger, 2);
    for (const row of [1, 2]) await lose(row);
    await redrive([1, 2], RESUBMIT);
    await lose(aKey(1, 1, 2));
    await accept(aKey(2, 1, 2));
    expect((await look([1, 2])).asked).toEqual(['1/2']);
  });

  it('are each looked for once, however many there are', async () => {
    await fill(ledger, 501);
    expect((await look(upTo(501))).settled.map(({ row }) => row)).toEqual(upTo(501));
  });
});
