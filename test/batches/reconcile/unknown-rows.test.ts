import { describe, expect, it } from '@jest/globals';
import type { FreeReads } from '../../../batches/free-reads.ts';
import { settleUnknown } from '../../../batches/reconcile/settle.ts';
import { unknownRows } from '../../../batches/rows/find-rows.ts';
import type { SettledRow } from '../../../batches/reconcile/decisions.ts';
import type { AttemptKey } from '../../../contract/batch.ts';
import type { Failure } from '../../../contract/failures.ts';
import { aBatch, aKey, fill, INTENT, ledger, ledgerForEachTest, redriveNow } from '../../ledger/setup.ts';

/** Which rows of a batch are unknown, and what is said of those that are looked for in vain. */

const LOST: Failure = { class: 'OutcomeUnknown', message: 'no answer' };
const REFUSED: Failure = { class: 'BadRequest', message: 'no' };

ledgerForEachTest();

async function lose(key: AttemptKey, outcome: 'unknown' | 'failed' = 'unknown'): Promise<void> {
  await ledger.intend(key, INTENT);
  await ledger.settle(key, { verdict: 'unknown', failure: LOST }, { outcome, failure: LOST });
}

async function accept(key: AttemptKey, jobId: string): Promise<void> {
  await ledger.intend(key, INTENT);
  await ledger.settle(key, { verdict: 'accepted', jobId }, { state: 'processing' });
}

const payAgain = (row: number): Promise<unknown> =>
  redriveNow(ledger, 'b', [{ row, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } }]);

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
    await lose(aKey(1), 'failed');
    await ledger.giveUp(aKey(2), { outcome: 'failed', failure: REFUSED });
    await ledger.giveUp(aKey(6), { outcome: 'failed' });
    await ledger.giveUp(aKey(7), { outcome: 'cancelled', failure: LOST });
    await lose(aKey(4));
    await lose(aKey(3), 'failed');
    expect(await unknownRows(ledger, 'b')).toEqual([1, 3, 4]);
    const { settled, asked } = await look([1, 2, 3, 4, 5, 6, 7]);
    expect(asked).toEqual(['1/1', '3/1', '4/1']);
    const stillUnknown = settled.filter(({ type }) => type === 'still-unknown');
    expect(stillUnknown.map(({ row }) => row)).toEqual([1, 3, 4]);
    expect(settled.filter(({ type }) => type === 'moved-on')).toHaveLength(4);
  });

  it('are told with the job of their present take, if it has one', async () => {
    await fill(ledger, 4);
    await accept(aKey(1), 'j1');
    for (const row of [2, 4]) {
      await accept(aKey(row), `j${row}`);
      await ledger.changeRunning(aKey(row), { outcome: 'overdue' });
      await payAgain(row);
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
    for (const row of [1, 2]) await lose(aKey(row));
    for (const row of [1, 2]) await payAgain(row);
    await lose(aKey(1, 1, 2));
    await accept(aKey(2, 1, 2), 'j');
    expect((await look([1, 2])).asked).toEqual(['1/2']);
  });

  it('are each looked for once, however many there are', async () => {
    await fill(ledger, 501);
    const rows = Array.from({ length: 501 }, (_, at) => at + 1);
    expect((await look(rows)).settled.map(({ row }) => row)).toEqual(rows);
  });
});
