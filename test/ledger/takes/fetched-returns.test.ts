import { describe, expect, it } from '@jest/globals';
import { releaseTake, settleNotCharged } from '../../../batches/reconcile/decisions.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { planRedrive } from '../../../policy/redrive/redrive.ts';
import { nextMove, rowView } from '../../../policy/rows/row-machine.ts';
import { aKey, INTENT, redriveNow } from '../setup.ts';
import {
  fileOf,
  goBack,
  LOST,
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

/** A row that goes back to an earlier take, and fetches its file first: the row keeps what it has until then. */

let ledger: Ledger;
rowsForEachTest((made) => {
  ledger = made;
});

describe('while the lost file of the take that it goes back to is fetched', () => {
  /** Take 2 is in doubt, and row goes back to take 1, whose file is lost. Take 1 may be one whose job a person named. */
  async function fetchFirst(): Promise<void> {
    const earlier = { take: 1, who: WHO, isLost: true };
    await redriveNow(ledger, 'b', [{ row: SPOKEN, take: 2, how: { type: 'accept', earlier } }]);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: null, file: null });
  }

  async function overdue(): Promise<void> {
    const failure = { class: 'Overdue', message: 'It still runs.' } as const;
    await ledger.changeRunning(aKey(SPOKEN), { outcome: 'overdue', failure });
  }

  it('its request in doubt stays in doubt, and what it had kept stays kept', async () => {
    await loseAnswer();
    const before = await rowOf(SPOKEN);
    await fetchFirst();
    await overdue();
    const { outcome, failure, take, returnedTo } = before;
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome, failure, take, returnedTo });
    const failed = { class: 'JobFailed', message: 'It failed.' } as const;
    await ledger.settle(
      aKey(SPOKEN, 1, 2),
      { verdict: 'done', failure: failed },
      { outcome: 'failed', failure: failed },
    );
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', file: fileOf(SPOKEN, 1, 'speech') });
  });

  it('a late answer says how it ends if that does not come', async () => {
    await loseAnswer();
    await fetchFirst();
    const file = fileOf(SPOKEN, 2, 'speech');
    await ledger.settle(aKey(SPOKEN, 1, 2), { verdict: 'done', file }, { outcome: 'succeeded', file });
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: null });
    await overdue();
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', returnedTo: null, file });
  });

  it('the job of its request in doubt can be named, and is waited for if that does not come', async () => {
    await loseAnswer();
    await fetchFirst();
    await ledger.decide(aKey(SPOKEN, 1, 2), { type: 'adopted', jobId: 'job-x', who: WHO });
    await overdue();
    const { row, charges } = await standing(SPOKEN);
    expect(row).toMatchObject({ outcome: 'overdue', returnedTo: null });
    expect(planRedrive(row, charges, WISH)).toEqual({ type: 'wait', step: 'speech' });
  });

  it('its request in doubt can be settled as not charged', async () => {
    await loseAnswer();
    await fetchFirst();
    expect(await settleNotCharged(ledger, 'b', { row: SPOKEN, take: 2 }, WHO)).toMatchObject({ type: 'not-charged' });
    await overdue();
    // It keeps what take 1 has made, lost or not.
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', file: fileOf(SPOKEN, 1, 'speech') });
  });

  it('its job can be taken back, and the row keeps what it has', async () => {
    await ledger.intend(aKey(SPOKEN), INTENT);
    await ledger.settle(aKey(SPOKEN), { verdict: 'unknown', failure: LOST }, { outcome: 'unknown', failure: LOST });
    await ledger.decide(aKey(SPOKEN), { type: 'adopted', jobId: 'job-x', who: WHO });
    const file = fileOf(SPOKEN, 1, 'speech');
    await ledger.finishJob(aKey(SPOKEN), { file }, { outcome: 'succeeded', file });
    await payAgain(SPOKEN);
    await make(SPOKEN, 2);
    await fetchFirst();
    expect(await releaseTake(ledger, 'b', { row: SPOKEN, take: 1 }, WHO)).toMatchObject({ type: 'released' });
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', file: fileOf(SPOKEN, 2, 'speech') });
  });
});

describe('a take that it left before its result was fetched', () => {
  const ACCEPT = { ...WISH, accept: true, earlier: { take: 2 } };
  const FILE = fileOf(SPOKEN, 2, 'speech');

  /** The job of take 2 is overdue. */
  async function leaveOverdue(): Promise<void> {
    await make(SPOKEN, 1);
    await payAgain(SPOKEN);
    await ledger.intend(aKey(SPOKEN, 1, 2), INTENT);
    await ledger.settle(aKey(SPOKEN, 1, 2), { verdict: 'accepted', jobId: 'job-2' }, { state: 'processing' });
    await overdue();
    // It waits for that at its own take.
    const { row, charges } = await standing(SPOKEN);
    expect(planRedrive(row, charges, ACCEPT)).toMatchObject({ type: 'refuse', why: 'no-return' });
    await goBack(SPOKEN, 1);
  }

  async function overdue(): Promise<void> {
    const failure = { class: 'Overdue', message: 'It still runs.' } as const;
    await ledger.changeRunning(aKey(SPOKEN, 1, 2), { outcome: 'overdue', failure });
  }

  async function fetchSecond(): Promise<void> {
    const found = await standing(SPOKEN);
    const plan = { type: 'accept', step: 'speech', take: 2, isAgain: true };
    expect(planRedrive(found.row, found.charges, ACCEPT)).toEqual(plan);
    await goBack(SPOKEN, 2);
    const { row, charges } = await standing(SPOKEN);
    expect(row).toMatchObject({ outcome: null, file: null });
    const move = nextMove({ ...rowView(row), ended: false }, charges);
    expect(move).toMatchObject({ type: 'wait', at: { take: 2 } });
    expect(await ledger.runningJobs('b')).toMatchObject([{ take: 2 }]);
  }

  async function expectFirst(): Promise<void> {
    const first = { outcome: 'succeeded', returnedTo: 1, file: fileOf(SPOKEN, 1, 'speech') };
    expect(await rowOf(SPOKEN)).toMatchObject(first);
  }

  it('is fetched once a person goes back to it, free', async () => {
    await leaveOverdue();
    const left = await standing(SPOKEN);
    // Paying for another result is not the only way.
    expect(planRedrive(left.row, left.charges, WISH)).toEqual({
      type: 'refuse',
      why: 'running',
      step: 'speech',
      leftTake: 2,
    });
    await fetchSecond();
    await ledger.finishJob(aKey(SPOKEN, 1, 2), { file: FILE }, { outcome: 'succeeded', file: FILE });
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', take: 2, returnedTo: null, file: FILE });
    expect((await ledger.decisionsOf('b', SPOKEN)).map(({ what, take }) => [what, take])).toEqual([
      ['went-back', 1],
      ['went-back', 2],
    ]);
    await goBack(SPOKEN, 1);
    await expectFirst();
  });

  it('is fetched if its job was found, or named, only since', async () => {
    await loseAnswer();
    await goBack(SPOKEN, 1);
    await ledger.decide(aKey(SPOKEN, 1, 2), { type: 'adopted', jobId: 'job-2', who: WHO });
    await fetchSecond();
    expect(await releaseTake(ledger, 'b', { row: SPOKEN, take: 2 }, WHO)).toMatchObject({ type: 'released' });
    await expectFirst();
  });

  it('is fetched also from a later take', async () => {
    await leaveOverdue();
    await redriveNow(ledger, 'b', [
      { row: SPOKEN, take: 2, how: { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } },
    ]);
    await make(SPOKEN, 3);
    await fetchSecond();
    await ledger.finishJob(aKey(SPOKEN, 1, 2), { file: FILE }, { outcome: 'succeeded', file: FILE });
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', take: 3, returnedTo: 2, file: FILE });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['is overdue again', overdue],
    [
      'is stopped',
      async () => {
        await ledger.stopNow('b');
        await ledger.closeBatch('b');
      },
    ],
    [
      'is gone',
      () => {
        const failure = { class: 'ResultGone', message: 'Its link is dead.' } as const;
        return ledger.finishJob(aKey(SPOKEN, 1, 2), { failure }, { outcome: 'failed', failure });
      },
    ],
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
    const failure = { class: 'JobFailed', message: 'It failed.' } as const;
    await ledger.finishJob(
      aKey(SPOKEN, 1, 2),
      { failure },
      { retake: 'speech', reason: 'retake', most: 3, otherwise: { outcome: 'failed', failure } },
    );
    await expectFirst();
    const { row, charges } = await standing(SPOKEN);
    expect(planRedrive(row, charges, ACCEPT)).toMatchObject({ type: 'refuse', why: 'no-return' });
    expect(planRedrive(row, charges, WISH)).toMatchObject({ type: 'pay', reason: 'redrive' });
  });

  it('leaves the row what it has if it does not pass, and is accepted by the same command again', async () => {
    await leaveOverdue();
    await fetchSecond();
    const failure = { class: 'Unfit', message: 'Silent.' } as const;
    const file = { ...FILE, unfit: 'silent' };
    await ledger.finishJob(aKey(SPOKEN, 1, 2), { file, failure }, { outcome: 'unfit', failure, file });
    await expectFirst();
    await goBack(SPOKEN, 2);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', returnedTo: null, file });
  });
});
