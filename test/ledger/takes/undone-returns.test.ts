import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { planRedrive } from '../../../policy/redrive/redrive.ts';
import { expectKept } from '../recount.ts';
import { aKey, INTENT, redriveNow } from '../setup.ts';
import {
  DUBBED,
  fileOf,
  goBack,
  make,
  payAgain,
  rowOf,
  rowsForEachTest,
  SPOKEN,
  standing,
  WISH,
} from './takes-of-rows.ts';

/** Rows that stand at an earlier take, or have the file of one, and are paid for anew. */

let ledger: Ledger;
rowsForEachTest((made) => {
  ledger = made;
});

const LATE = { outcome: 'overdue', failure: { class: 'Overdue', message: 'Late.' } } as const;
const GONE = { class: 'ResultGone', message: 'lost', cause: 'a stored file is missing' } as const;

describe('a row that went back to a take whose file is lost, and overdue', () => {
  async function resubmit(): Promise<void> {
    await make(SPOKEN, 1);
    await payAgain(SPOKEN);
    await make(SPOKEN, 2);
    await goBack(SPOKEN, 1);
    await redriveNow(ledger, 'b', [{ row: SPOKEN, take: 2, how: { type: 'wait' }, lost: GONE }]);
    await ledger.changeRunning(aKey(SPOKEN), LATE);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'overdue', take: 2, returnedTo: 1 });
    const how = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;
    await redriveNow(ledger, 'b', [{ row: SPOKEN, take: 2, how }]);
  }

  async function expectAsBefore(): Promise<void> {
    const { row, charges } = await standing(SPOKEN);
    expect(row).toMatchObject({ outcome: 'overdue', take: 2, returnedTo: 1 });
    expect(planRedrive(row, charges, WISH)).toEqual({ type: 'wait', step: 'speech', isAgain: true });
    await redriveNow(ledger, 'b', [{ row: SPOKEN, take: 2, how: { type: 'wait' } }]);
    const file = fileOf(SPOKEN, 1, 'speech');
    await ledger.finishJob(aKey(SPOKEN), { file }, { outcome: 'succeeded', file });
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', take: 2, returnedTo: 1, file });
    await expectKept(ledger, 'b');
  }

  it('is overdue at that take as before if a new one does not fit into the budget', async () => {
    await resubmit();
    await ledger.tune('b', { budget: 9 });
    expect(await ledger.intend(aKey(SPOKEN, 1, 3), INTENT)).toMatchObject({ type: 'over-budget' });
    expect((await ledger.takesOf('b', SPOKEN)).map(({ take }) => take)).toEqual([2]);
    await expectAsBefore();
  });

  it('is so, too, if the batch is stopped before the new one is sent', async () => {
    await resubmit();
    await ledger.stopNow('b');
    await ledger.closeBatch('b');
    await expectAsBefore();
  });

  it('does not wait for the job that was taken back meanwhile', async () => {
    await ledger.intend(aKey(SPOKEN), INTENT);
    const lost = { class: 'OutcomeUnknown', message: 'No answer came.' } as const;
    await ledger.settle(aKey(SPOKEN), { verdict: 'unknown', failure: lost }, { outcome: 'unknown', failure: lost });
    await ledger.decide(aKey(SPOKEN), { type: 'adopted', jobId: 'job-x', who: 'ann' });
    const file = fileOf(SPOKEN, 1, 'speech');
    await ledger.finishJob(aKey(SPOKEN), { file, credits: 4 }, { outcome: 'succeeded', file });
    await redriveNow(ledger, 'b', [{ row: SPOKEN, take: 1, how: { type: 'wait' }, lost: GONE }]);
    await ledger.changeRunning(aKey(SPOKEN), LATE);
    const how = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;
    await redriveNow(ledger, 'b', [{ row: SPOKEN, take: 1, how }]);
    expect(await ledger.decide(aKey(SPOKEN), { type: 'released', jobId: 'job-x', who: 'ann' })).toBe(true);
    await ledger.tune('b', { budget: 1 });
    expect(await ledger.intend(aKey(SPOKEN, 1, 2), INTENT)).toMatchObject({ type: 'over-budget' });
    expect((await standing(SPOKEN)).charges).toMatchObject([{ state: 'unknown', file: null, jobId: null }]);
    await expectKept(ledger, 'b');
  });
});

it('a dub that kept its file when a full new take failed at the lip-sync goes on with the speech of that take', async () => {
  await make(DUBBED, 1);
  await make(DUBBED, 1, 'lip-sync');
  await payAgain(DUBBED);
  await make(DUBBED, 2);
  const key = aKey(DUBBED, 1, 2, 'lip-sync');
  const failure = { class: 'JobFailed', message: 'It failed.' } as const;
  await ledger.intend(key, INTENT);
  await ledger.settle(key, { verdict: 'accepted', jobId: 'job-2' }, { state: 'processing' });
  await ledger.finishJob(key, { failure }, { outcome: 'failed', failure });
  expect(await rowOf(DUBBED)).toMatchObject({ outcome: 'succeeded', file: fileOf(DUBBED, 1, 'lip-sync') });
  await payAgain(DUBBED, 'lip-sync');
  await make(DUBBED, 3, 'lip-sync');
  const { charges } = await standing(DUBBED);
  expect(charges.find(({ step, take }) => step === 'lip-sync' && take === 3)?.fromTake).toBe(2);
});
