import { describe, expect, it } from '@jest/globals';
import { releaseTake, settleNotCharged } from '../../../batches/reconcile/decisions.ts';
import { lostFile } from '../../../policy/redrive/lost-file.ts';
import { nextMove, rowView } from '../../../policy/rows/row-machine.ts';
import { accept, adopt, ask, backTo, FAILED, fail, finish, giveUpWaiting, GONE, JOB_FAILED } from '../actions.ts';

import { lose, redrive, release, RESUBMIT, settle, UNFIT, WAIT } from '../actions.ts';
import { chargesOf, close, rowOf, standing } from '../readings.ts';
import { aKey, ledger } from '../setup.ts';
import { DUBBED, fileOf, goBack, loseAnswer, make, makeAgain, makeByAdoption, makeTwo } from './takes-of-rows.ts';
import { planOf, SECOND, SPOKEN, takesForEachTest } from './takes-of-rows.ts';
import { ANN } from '../../support/ann.ts';

/** A row that goes back to an earlier take, and fetches its file first: the row keeps what it has until then. */

takesForEachTest();

const [FILE1, FILE] = [fileOf(SPOKEN, 1), fileOf(SPOKEN, 2)];

describe('while the lost file of the take that it goes back to is fetched', () => {
  /** The row goes back to take 1, whose file is lost. */
  async function fetchFirst(): Promise<void> {
    await redrive(SPOKEN, backTo(1, { isLost: true }));
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: null, file: null });
  }

  it('its request in doubt stays in doubt, and what it had kept stays kept', async () => {
    await loseAnswer();
    const { outcome, failure, take, returnedTo } = await rowOf(SPOKEN);
    await fetchFirst();
    await giveUpWaiting(SPOKEN);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome, failure, take, returnedTo });
    await settle(SECOND, { verdict: 'done', failure: JOB_FAILED }, FAILED);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', file: FILE1 });
  });

  it('a late answer says how it ends if that does not come', async () => {
    await loseAnswer();
    await fetchFirst();
    await settle(SECOND, { verdict: 'done', file: FILE }, { outcome: 'succeeded', file: FILE });
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: null });
    await giveUpWaiting(SPOKEN);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', returnedTo: null, file: FILE });
  });

  it('the job of its request in doubt can be named, and is waited for if that does not come', async () => {
    await loseAnswer();
    await fetchFirst();
    await adopt(SECOND, 'job-x');
    await giveUpWaiting(SPOKEN);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'overdue', returnedTo: null });
    expect(await planOf(SPOKEN)).toEqual({ type: 'wait', step: 'speech' });
  });

  it('its request in doubt can be settled as not charged', async () => {
    await loseAnswer();
    await fetchFirst();
    expect(await settleNotCharged(ledger, 'b', { row: SPOKEN, take: 2 }, ANN)).toMatchObject({ type: 'not-charged' });
    await giveUpWaiting(SPOKEN);
    // It keeps what take 1 has made, lost or not.
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', file: FILE1 });
  });

  it('its job can be taken back, and the row keeps what it has', async () => {
    await makeByAdoption();
    await redrive(SPOKEN);
    await make(SPOKEN, 2);
    await fetchFirst();
    expect(await releaseTake(ledger, 'b', { row: SPOKEN, take: 1 }, ANN)).toMatchObject({ type: 'released' });
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', file: FILE });
  });

  it('the job of what it keeps meanwhile can be taken back, and it keeps nothing', async () => {
    await loseAnswer();
    await adopt(SECOND, 'job-x');
    await finish(SECOND, { file: FILE });
    await fetchFirst();
    expect(await release(SECOND, 'job-x')).toBe(true);
    expect((await ledger.releasedFiles('b')).flatMap(({ files }) => files)).toEqual([FILE]);
    await giveUpWaiting(SPOKEN);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'unknown', returnedTo: null, file: null });
  });

  it('the job of a result that it keeps from another take cannot be taken back', async () => {
    await make(SPOKEN, 1);
    await redrive(SPOKEN);
    await lose(SECOND);
    await adopt(SECOND, 'job-x');
    await finish(SECOND, { file: FILE });
    const third = aKey(SPOKEN, 1, 3);
    await redrive(SPOKEN);
    await fail(third);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', take: 3, file: FILE });
    await fetchFirst();
    await expect(release(SECOND, 'job-x')).rejects.toThrow('has the result of that job');
  });
});

describe('a job that is taken back', () => {
  const KEPT = { outcome: 'unfit', failure: UNFIT, file: { ...FILE1, unfit: 'silent' } } as const;

  it('leaves no result to a row that kept it for the case that its new take brings none', async () => {
    await makeByAdoption();
    await redrive(SPOKEN);
    await lose(SECOND);
    expect(await release(SPOKEN, 'job-x')).toBe(true);
    expect((await ledger.releasedFiles('b')).flatMap(({ files }) => files)).toEqual([FILE1]);
    await settle(SECOND, { verdict: 'done', failure: JOB_FAILED }, FAILED);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'failed', file: null });
  });

  it('leaves none to a row that lost its file, which did not pass, and gets another job', async () => {
    await lose(SPOKEN);
    await adopt(SPOKEN, 'job-x');
    await finish(SPOKEN, { file: KEPT.file, failure: UNFIT }, KEPT);
    await redrive(SPOKEN, WAIT, { lost: lostFile('missing', undefined) });
    expect(await release(SPOKEN, 'job-x')).toBe(true);
    await adopt(SPOKEN, 'job-y');
    await finish(SPOKEN, { failure: JOB_FAILED }, FAILED);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'failed', file: null });
  });
});

describe('a take that it left before its result was fetched', () => {
  const ACCEPT = { accept: true, earlier: { take: 2 } };

  /** The job of take 2 is overdue, and the row goes back to take 1. */
  async function leaveOverdue(): Promise<void> {
    await make(SPOKEN, 1);
    await redrive(SPOKEN);
    await accept(SECOND);
    await giveUpWaiting(SECOND);
    // It waits for that at its own take.
    expect(await planOf(SPOKEN, ACCEPT)).toMatchObject({ type: 'refuse', why: 'no-return' });
    await goBack(SPOKEN, 1);
  }

  async function fetchSecond(): Promise<void> {
    expect(await planOf(SPOKEN, ACCEPT)).toEqual({ type: 'accept', step: 'speech', take: 2, isAgain: true });
    await goBack(SPOKEN, 2);
    const { row, charges } = await standing(SPOKEN);
    expect(row).toMatchObject({ outcome: null, file: null });
    expect(nextMove({ ...rowView(row), ended: false }, charges)).toMatchObject({ type: 'wait', at: { take: 2 } });
    expect(await ledger.runningJobs('b')).toMatchObject([{ take: 2 }]);
  }

  async function expectFirst(): Promise<void> {
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', returnedTo: 1, file: FILE1 });
  }

  it('is fetched once a person goes back to it, free', async () => {
    await leaveOverdue();
    // Paying for another result is not the only way.
    expect(await planOf(SPOKEN)).toEqual({ type: 'refuse', why: 'running', step: 'speech', leftTake: 2 });
    await fetchSecond();
    await finish(SECOND, { file: FILE });
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', take: 2, returnedTo: null, file: FILE });
    const decisions = (await ledger.decisionsOf('b', SPOKEN)).map(({ what, take }) => `${what} ${take}`);
    expect(decisions).toEqual(['went-back 1', 'went-back 2']);
    await goBack(SPOKEN, 1);
    await expectFirst();
  });

  it('is fetched if its job was found, or named, only since', async () => {
    await loseAnswer();
    await goBack(SPOKEN, 1);
    await adopt(SECOND, 'job-2');
    await fetchSecond();
    expect(await releaseTake(ledger, 'b', { row: SPOKEN, take: 2 }, ANN)).toMatchObject({ type: 'released' });
    await expectFirst();
  });

  it('is fetched also from a later take', async () => {
    await leaveOverdue();
    await redrive(SPOKEN, RESUBMIT);
    await make(SPOKEN, 3);
    await fetchSecond();
    await finish(SECOND, { file: FILE });
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', take: 3, returnedTo: 2, file: FILE });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['is overdue again', () => giveUpWaiting(SECOND)],
    ['is stopped', () => ledger.stopNow('b').then(() => close())],
    ['is gone', () => finish(SECOND, { failure: GONE })],
  ])('leaves the row what it has if it %s, and can be fetched again', async (_, end) => {
    await leaveOverdue();
    await fetchSecond();
    await end();
    await expectFirst();
    await fetchSecond();
  });

  it('leaves the row what it has if it failed, and is not offered again', async () => {
    await leaveOverdue();
    await fetchSecond();
    await finish(SECOND, { failure: JOB_FAILED }, { retake: 'speech', reason: 'retake', most: 3, otherwise: FAILED });
    await expectFirst();
    expect(await planOf(SPOKEN, ACCEPT)).toMatchObject({ type: 'refuse', why: 'no-return' });
    expect(await planOf(SPOKEN)).toMatchObject({ type: 'pay', reason: 'redrive' });
  });

  it('leaves the row what it has if it does not pass, and is accepted by the same command again', async () => {
    await leaveOverdue();
    await fetchSecond();
    const unfit = { file: { ...FILE, unfit: 'silent' }, failure: UNFIT };
    await finish(SECOND, unfit, { outcome: 'unfit', ...unfit });
    await expectFirst();
    await goBack(SPOKEN, 2);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', returnedTo: null, file: unfit.file });
  });
});

describe('a row that went back to a take whose file is lost, and overdue,', () => {
  async function resubmit(): Promise<void> {
    await makeTwo(SPOKEN);
    await goBack(SPOKEN, 1);
    await redrive(SPOKEN, WAIT, { lost: GONE });
    await giveUpWaiting(SPOKEN);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'overdue', take: 2, returnedTo: 1 });
    await redrive(SPOKEN, RESUBMIT);
  }

  it.each<[string, () => Promise<unknown>]>([
    [
      'does not fit into the budget',
      async () => {
        await ledger.tune('b', { budget: 9 });
        expect(await ask(aKey(SPOKEN, 1, 3))).toBe('over-budget');
        expect((await ledger.takesOf('b', SPOKEN)).map(({ take }) => take)).toEqual([2]);
      },
    ],
    ['is not sent before the batch stops', () => ledger.stopNow('b').then(() => close())],
  ])('is overdue at that take as before if a new one %s', async (_, end) => {
    await resubmit();
    await end();
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'overdue', take: 2, returnedTo: 1 });
    expect(await planOf(SPOKEN)).toEqual({ type: 'wait', step: 'speech', isAgain: true });
    await redrive(SPOKEN, WAIT);
    await finish(SPOKEN, { file: FILE1 });
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', take: 2, returnedTo: 1, file: FILE1 });
  });

  it('does not wait for the job that was taken back meanwhile', async () => {
    await makeByAdoption();
    await redrive(SPOKEN, WAIT, { lost: GONE });
    await giveUpWaiting(SPOKEN);
    await redrive(SPOKEN, RESUBMIT);
    expect(await release(SPOKEN, 'job-x')).toBe(true);
    await ledger.tune('b', { budget: 1 });
    expect(await ask(SECOND)).toBe('over-budget');
    expect(await chargesOf(SPOKEN)).toMatchObject([{ state: 'unknown', file: null, jobId: null }]);
  });
});

it('a dub that kept its file when a full new take failed at the lip-sync goes on with the speech of that take', async () => {
  await make(DUBBED, 1);
  await make(DUBBED, 1, 'lip-sync');
  await redrive(DUBBED);
  await make(DUBBED, 2);
  await fail(aKey(DUBBED, 1, 2, 'lip-sync'));
  expect(await rowOf(DUBBED)).toMatchObject({ outcome: 'succeeded', file: fileOf(DUBBED, 1, 'lip-sync') });
  await makeAgain(DUBBED, 3);
  const made = (await chargesOf(DUBBED)).find(({ step, take }) => step === 'lip-sync' && take === 3);
  expect(made?.fromTake).toBe(2);
});
