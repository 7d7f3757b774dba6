import { describe, expect, it } from '@jest/globals';
import { explainRow } from '../../../batches/look/explain.ts';
import { releaseTake, settleNotCharged } from '../../../batches/reconcile/decisions.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { BatchRecord } from '../../../ledger/record-types.ts';
import { checkedResult } from '../../../policy/verification/after-check.ts';
import { lostFile } from '../../../policy/redrive/lost-file.ts';
import { planRedrive } from '../../../policy/redrive/redrive.ts';
import { usedAttempt } from '../../../policy/rows/row-machine.ts';
import { aKey, INTENT, redriveNow } from '../setup.ts';
import {
  CHECKED,
  DUBBED,
  fileOf,
  goBack,
  loseAnswer,
  make,
  payAgain,
  rowOf,
  rowsForEachTest,
  SPOKEN,
  standing,
  WHO,
  WISH,
} from './takes-of-rows.ts';

/** A row that went back to an earlier take: what is done and said of it later is of that take. */

let ledger: Ledger;
rowsForEachTest((made) => {
  ledger = made;
});

async function batch(): Promise<BatchRecord> {
  const found = await ledger.findBatch('b');
  if (found === undefined) throw new Error('There is no batch.');
  return found;
}

/** Takes 1 and 2 of a row, both whole. */
async function makeTwo(row: number): Promise<void> {
  for (const take of [1, 2]) {
    if (take === 2) await payAgain(row);
    for (const step of row === SPOKEN
      ? (['speech'] as const)
      : row === DUBBED
        ? (['speech', 'lip-sync'] as const)
        : (['speech', 'verification', 'lip-sync'] as const))
      await make(row, take, step);
  }
}

describe('a later step of it', () => {
  const speechOf = async (row: number, take: number): Promise<number | null | undefined> =>
    (await standing(row)).charges.find((one) => one.step === 'lip-sync' && one.take === take)?.fromTake;

  it('uses the speech of the take that it went back to, and forth', async () => {
    await makeTwo(DUBBED);
    await goBack(DUBBED, 1);
    const found = await standing(DUBBED);
    expect(planRedrive(found.row, found.charges, { ...WISH, step: 'lip-sync' })).toEqual({
      type: 'pay',
      fromStep: 'lip-sync',
      reason: 'redrive',
    });
    await payAgain(DUBBED, 'lip-sync');
    const open = await standing(DUBBED);
    expect(usedAttempt(open.row, open.charges, 'speech')?.take).toBe(1);
    await make(DUBBED, 3, 'lip-sync');
    await goBack(DUBBED, 2);
    await payAgain(DUBBED, 'lip-sync');
    await make(DUBBED, 4, 'lip-sync');
    await goBack(DUBBED, 3);
    await payAgain(DUBBED, 'lip-sync');
    await make(DUBBED, 5, 'lip-sync');
    expect(await Promise.all([1, 2, 3, 4, 5].map((take) => speechOf(DUBBED, take)))).toEqual([1, 2, 1, 2, 1]);
  });

  it('is paid alone, whatever became of the take that it left', async () => {
    await make(DUBBED, 1);
    await make(DUBBED, 1, 'lip-sync');
    await payAgain(DUBBED);
    await make(DUBBED, 2);
    await ledger.intend(aKey(DUBBED, 1, 2, 'lip-sync'), INTENT);
    await ledger.settle(
      aKey(DUBBED, 1, 2, 'lip-sync'),
      { verdict: 'accepted', jobId: 'unfit' },
      { state: 'processing' },
    );
    const failure = { class: 'Unfit', message: 'Silent.' } as const;
    const file = { ...fileOf(DUBBED, 2, 'lip-sync'), unfit: 'silent' };
    await ledger.finishJob(aKey(DUBBED, 1, 2, 'lip-sync'), { file, failure }, { outcome: 'succeeded', file });
    await goBack(DUBBED, 1);
    const found = await standing(DUBBED);
    // Nothing tells which of its steps was at fault.
    expect(planRedrive(found.row, found.charges, WISH)).toMatchObject({ type: 'pay', fromStep: 'speech' });
  });

  it('checks the speech of the take that it went back to', async () => {
    await makeTwo(CHECKED);
    await goBack(CHECKED, 1);
    await payAgain(CHECKED, 'verification');
    const { row, charges } = await standing(CHECKED);
    expect(checkedResult({ ...row.spec, acceptedTake: row.acceptedTake }, 'verification', charges)?.take).toBe(1);
    await make(CHECKED, 3, 'verification');
    await make(CHECKED, 3, 'lip-sync');
    expect(await speechOf(CHECKED, 3)).toBe(1);
  });

  it('is taken back with all that its take stood at, if it cannot be paid for', async () => {
    await loseAnswer();
    await goBack(SPOKEN, 1);
    const before = await rowOf(SPOKEN);
    await redriveNow(ledger, 'b', [
      { row: SPOKEN, take: 2, how: { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } },
    ]);
    expect(await rowOf(SPOKEN)).toMatchObject({ take: 3, returnedTo: null });
    await ledger.setControl('b', 'stopping');
    await ledger.cancelRest('b');
    const { file, take, returnedTo } = before;
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', file, take, returnedTo });
  });
});

describe('the take that it left', () => {
  it('may be released: its own file is the row’s no more', async () => {
    await loseAnswer();
    await ledger.decide(aKey(SPOKEN, 1, 2), { type: 'adopted', jobId: 'job-x', who: WHO });
    const file = fileOf(SPOKEN, 2, 'speech');
    await ledger.finishJob(aKey(SPOKEN, 1, 2), { file }, { outcome: 'succeeded', file });
    await goBack(SPOKEN, 1);
    expect(await releaseTake(ledger, 'b', { row: SPOKEN, take: 2 }, WHO)).toMatchObject({ type: 'released' });
    const { row, charges } = await standing(SPOKEN);
    expect(row).toMatchObject({ outcome: 'succeeded', file: fileOf(SPOKEN, 1, 'speech') });
    expect(charges.at(-1)).toMatchObject({ take: 2, state: 'unknown' });
    expect((await ledger.releasedFiles('b')).flatMap(({ files }) => files)).toEqual([file]);
  });

  it('may be settled as not charged, and is named as one that may have been', async () => {
    await loseAnswer();
    await goBack(SPOKEN, 1);
    const explained = await explainRow(ledger, await batch(), 'r1');
    expect(explained).toMatchObject({ history: { unresolvedTakes: [{ row: SPOKEN, take: 2 }] } });
    expect(await ledger.earlierUnresolved('b', 5)).toMatchObject({ count: 1, first: [{ row: SPOKEN, take: 2 }] });
    expect(await settleNotCharged(ledger, 'b', { row: SPOKEN, take: 2 }, WHO)).toMatchObject({ type: 'not-charged' });
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', file: fileOf(SPOKEN, 1, 'speech') });
    expect(await ledger.money('b')).toMatchObject({ charged: 4, uncertain: 0 });
  });

  it('says nothing of it by a late answer while its own lost file is fetched', async () => {
    await loseAnswer();
    await goBack(SPOKEN, 1);
    const failure = lostFile('missing', undefined);
    await redriveNow(ledger, 'b', [{ row: SPOKEN, take: 2, how: { type: 'wait' }, lost: failure }]);
    const late = fileOf(SPOKEN, 2, 'speech');
    await ledger.settle(aKey(SPOKEN, 1, 2), { verdict: 'done', file: late }, { outcome: 'succeeded', file: late });
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: null, state: 'processing' });
    const file = fileOf(SPOKEN, 1, 'speech');
    await ledger.finishJob(aKey(SPOKEN), { file }, { outcome: 'succeeded', file });
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', file });
  });

  it('is not waited for any longer for its lost file', async () => {
    await makeTwo(SPOKEN);
    const failure = lostFile('missing', undefined);
    await redriveNow(ledger, 'b', [{ row: SPOKEN, take: 2, how: { type: 'wait' }, lost: failure }]);
    await ledger.setControl('b', 'stopping');
    await ledger.stopNow('b');
    await ledger.closeBatch('b');
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'overdue' });
    await goBack(SPOKEN, 1);
    const { row, charges } = await standing(SPOKEN);
    expect(row).toMatchObject({ outcome: 'succeeded', file: fileOf(SPOKEN, 1, 'speech') });
    expect(planRedrive(row, charges, WISH)).toMatchObject({ type: 'pay', fromStep: 'speech' });
    expect(await ledger.runningJobs('b')).toEqual([]);
    // Its file may be back by then, or fetched again.
    await goBack(SPOKEN, 2);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', file: fileOf(SPOKEN, 2, 'speech') });
  });
});
