import { describe, expect, it } from '@jest/globals';
import type { AttemptKey } from '../../../contract/batch.ts';
import type { Intent } from '../../../ledger/requests/intent-records.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { ResultFile } from '../../../ledger/record-types.ts';
import { expectKept } from '../recount.ts';
import { aBatch, aKey, aRow, fill, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

/** A copy of an earlier result whose file is lost, while the job of that result is read for it: free, also under a budget. */

const KEY = 'a-key';
const FILE: ResultFile = { key: 'a/1-speech-1.mp3', bytes: 12, sha256: 'ab', extension: 'mp3' };
const COPY: ResultFile = { ...FILE, key: 'b/2-speech-1-cached.mp3' };
const GONE = { class: 'ResultGone', message: 'lost', cause: 'a stored file is missing' } as const;
const MADE: AttemptKey = { ...aKey(1), batch: 'a' };
const KEYED: Intent = { ...INTENT, resultKey: KEY, reuse: { passOver: [] } };

let ledger: Ledger;
ledgerForEachTest(async (made) => {
  ledger = made;
  await fill(ledger, 1, 'a');
  await ledger.intend(MADE, KEYED);
  await ledger.settle(MADE, { verdict: 'accepted', jobId: 'job-1', credits: 3 }, { state: 'processing' });
  await ledger.finishJob(MADE, { file: FILE }, { outcome: 'succeeded', file: FILE });
});

/** Row 2 of a batch with this budget has a copy of it. */
async function copy(budget: number | null): Promise<void> {
  const batch = aBatch();
  await ledger.createBatch({ ...batch, settings: { ...batch.settings, budget } });
  await ledger.addRows(
    'b',
    [1, 2, 3].map((row) => aRow(row)),
  );
  await ledger.openBatch('b', 3);
  const [result] = await ledger.findResults([KEY]);
  if (result === undefined) throw new Error('there is no result');
  const use = { result, file: COPY, extraFiles: [], saved: 2.5, owner: 'w1' };
  expect(await ledger.useResult(aKey(2), use)).toMatchObject({ used: true });
}

async function lose(): Promise<void> {
  await redriveNow(ledger, 'b', [{ row: 2, take: 1, how: { type: 'wait' }, lost: GONE }]);
  expect((await ledger.readRow('b', 2))?.charges).toMatchObject([{ state: 'accepted', jobId: 'job-1', charged: 0 }]);
}

describe('a lost copy that is fetched again', () => {
  it('takes no room from a budget, neither of the first request nor of the last', async () => {
    await copy(5);
    await lose();
    expect(await ledger.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
    expect(await ledger.intend(aKey(3), INTENT)).toMatchObject({ type: 'go' });
    await ledger.finishJob(aKey(2), { file: COPY, credits: 3 }, { outcome: 'succeeded', file: COPY });
    expect((await ledger.readRow('b', 2))?.row).toMatchObject({ outcome: 'cached', file: COPY });
    const { ratios, beyondLost } = await ledger.chargeOutlook('b');
    expect(ratios.filter(({ worst, told, ended }) => worst + told + ended > 0)).toEqual([]);
    expect(beyondLost).toBe(0);
    await expectKept(ledger, 'b');
  });

  it('lets the batch have a budget meanwhile, and begins no ratio for that', async () => {
    await copy(null);
    await lose();
    await ledger.tune('b', { budget: 100 });
    expect((await ledger.chargeOutlook('b')).ratios).toEqual([]);
    await expectKept(ledger, 'b');
  });

  it('because a person goes back to it takes no room, too', async () => {
    await copy(null);
    await redriveNow(ledger, 'b', [{ row: 2, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    expect(await ledger.intend(aKey(2, 1, 2), INTENT)).toMatchObject({ type: 'go' });
    await ledger.settle(aKey(2, 1, 2), { verdict: 'accepted', jobId: 'job-2' }, { state: 'processing' });
    await ledger.finishJob(aKey(2, 1, 2), { file: FILE }, { outcome: 'succeeded', file: FILE });
    const earlier = { take: 1, who: 'ann', isLost: true };
    await redriveNow(ledger, 'b', [{ row: 2, take: 2, how: { type: 'accept', earlier } }]);
    await ledger.tune('b', { budget: 6 });
    expect(await ledger.intend(aKey(3), INTENT)).toMatchObject({ type: 'go' });
    await expectKept(ledger, 'b');
  });

  it('is overdue as before if a new take of it does not fit, and can still be fetched', async () => {
    await copy(1);
    await lose();
    await ledger.changeRunning(aKey(2), { outcome: 'overdue', failure: { class: 'Overdue', message: 'Late.' } });
    await redriveNow(ledger, 'b', [
      { row: 2, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } },
    ]);
    expect((await ledger.readRow('b', 2))?.charges).toMatchObject([{ state: 'cached', jobId: null, file: null }]);
    await expectKept(ledger, 'b');
    const answer = await ledger.intend(aKey(2, 1, 2), INTENT);
    expect(answer).toMatchObject({ type: 'over-budget', row: { outcome: 'overdue', take: 1 } });
    expect(answer.charges).toMatchObject([{ state: 'accepted', jobId: 'job-1', file: COPY, finishedAt: null }]);
    await redriveNow(ledger, 'b', [{ row: 2, take: 1, how: { type: 'wait' } }]);
    await ledger.finishJob(aKey(2), { file: COPY }, { outcome: 'succeeded', file: COPY });
    expect((await ledger.readRow('b', 2))?.row).toMatchObject({ outcome: 'cached', file: COPY });
    await expectKept(ledger, 'b');
  });
});
