import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../../contract/outcomes.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { RowEffect } from '../../../ledger/rows/row-effects.ts';
import type { RowRecord } from '../../../ledger/record-types.ts';
import { aKey, fill, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

/** What an answer, or the end of a job, changes in a row that has ended without it. */

const FILE = { key: 'b/1-speech-1.mp3', bytes: 3, sha256: 'a'.repeat(64), extension: 'mp3' };
const LOST = { class: 'OutcomeUnknown', message: 'No answer.' } as const;
const REFUSED = { class: 'BadRequest', message: 'No.' } as const;
const OTHER = { ...FILE, key: 'b/1-speech-2.mp3' };
const UNFIT = { outcome: 'unfit', failure: { class: 'Unfit', message: 'Other words.' } } as const;
const SECOND = aKey(1, 1, 2);
const SUCCEEDED = { outcome: 'succeeded', file: FILE, extraFiles: [FILE], text: 'Hello' } as const;

let ledger: Ledger;

ledgerForEachTest(async (made) => {
  ledger = made;
  await fill(ledger, 2);
  await ledger.intend(aKey(1), INTENT);
});

async function rowOf(row = 1): Promise<RowRecord | undefined> {
  return (await ledger.readRow('b', row))?.row;
}

describe('an answer that comes late', () => {
  it('opens a row that was given up as failed, for want of an answer', async () => {
    await ledger.settle(aKey(1), { verdict: 'unknown', failure: LOST }, { outcome: 'failed', failure: LOST });
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    expect(await rowOf()).toMatchObject({ outcome: null, state: 'processing', failure: null, endedAt: null });
  });

  it('leaves a row alone that failed for another reason', async () => {
    await ledger.settle(aKey(1), { verdict: 'unknown', failure: LOST }, { outcome: 'failed', failure: REFUSED });
    await ledger.settle(aKey(1), { verdict: 'done', file: FILE }, SUCCEEDED);
    expect(await rowOf()).toMatchObject({ outcome: 'failed', failure: REFUSED, file: null });
  });

  it('ends the row with all that it brings, and no other row; a closed batch stays so', async () => {
    await ledger.settle(aKey(1), { verdict: 'unknown', failure: LOST }, { outcome: 'unknown', failure: LOST });
    await ledger.giveUp(aKey(2), { outcome: 'unknown', failure: LOST });
    await ledger.closeBatch('b');
    const before = Date.now();
    await ledger.settle(aKey(1), { verdict: 'done', file: FILE }, SUCCEEDED);
    const row = await rowOf();
    expect(row).toMatchObject({ outcome: 'succeeded', failure: null, file: FILE, extraFiles: [FILE], text: 'Hello' });
    expect(row?.endedAt).toBeGreaterThanOrEqual(before);
    expect(row?.updatedAt).toBeGreaterThanOrEqual(before);
    expect(await rowOf(2)).toMatchObject({ outcome: 'unknown' });
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'closed' });
  });

  it('gives an open row its effect as any other', async () => {
    await ledger.settle(aKey(1), { verdict: 'unknown', failure: LOST }, { state: 'submitting' });
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    expect(await rowOf()).toMatchObject({ outcome: null, state: 'processing' });
  });

  it('gives no new take to a row that was given up, and ends it as it would without', async () => {
    await ledger.settle(aKey(1), { verdict: 'unknown', failure: LOST }, { outcome: 'unknown', failure: LOST });
    const retake = { retake: 'speech', reason: 'retake', most: 2, otherwise: { ...UNFIT, file: FILE } } as const;
    await ledger.settle(aKey(1), { verdict: 'done', file: FILE, failure: UNFIT.failure }, retake);
    expect(await rowOf()).toMatchObject({ ...UNFIT, file: FILE, take: 1 });
  });
});

describe('the end of a job', () => {
  beforeEach(async () => {
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
  });

  it.each<[Outcome, Outcome]>([
    ['overdue', 'succeeded'],
    ['cancelled', 'cancelled'],
    ['failed', 'failed'],
    ['unknown', 'unknown'],
  ])('makes of a row that ended %s one that %s', async (was, is) => {
    await ledger.changeRunning(aKey(1), { outcome: was, failure: LOST });
    expect(await ledger.finishJob(aKey(1), { file: FILE }, SUCCEEDED)).toMatchObject({ finished: true });
    expect((await rowOf())?.outcome).toBe(is);
    expect((await rowOf())?.text).toBe(is === 'succeeded' ? 'Hello' : null);
    expect(await rowOf(2)).toMatchObject({ outcome: null });
  });

  it('gives no new take to an overdue row, and ends it as it would without', async () => {
    await ledger.changeRunning(aKey(1), { outcome: 'overdue', failure: LOST });
    const otherwise = { outcome: 'failed', failure: REFUSED } as const;
    const retake = { retake: 'speech', reason: 'retake', most: 2, otherwise } as const;
    await ledger.finishJob(aKey(1), { failure: REFUSED }, retake);
    expect(await rowOf()).toMatchObject({ ...otherwise, take: 1 });
  });

  it('leaves an overdue row as it is where it brings no ending', async () => {
    await ledger.changeRunning(aKey(1), { outcome: 'overdue', failure: LOST });
    await ledger.finishJob(aKey(1), { file: FILE }, { state: 'waiting' });
    expect(await rowOf()).toMatchObject({ outcome: 'overdue', failure: LOST });
  });

  it('is news about money only, once the row is at another take', async () => {
    await ledger.changeRunning(aKey(1), { outcome: 'overdue', failure: LOST });
    await redriveNow(ledger, 'b', [
      { row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } },
    ]);
    expect(await ledger.finishJob(aKey(1), { file: FILE, credits: 9 }, SUCCEEDED)).toMatchObject({ finished: true });
    expect(await rowOf()).toMatchObject({ take: 2, outcome: null, file: null });
    expect(await ledger.money('b')).toMatchObject({ charged: 9 });
  });
});

/** A row whose first take did not pass, by this error, and that is at its second. */
async function retaken(error: number): Promise<void> {
  await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
  const otherwise = { ...UNFIT, file: FILE, error };
  const effect = { retake: 'speech', reason: 'retake', most: 1, otherwise } as const;
  await ledger.finishJob(aKey(1), { file: FILE, failure: UNFIT.failure }, effect);
  await ledger.intend(SECOND, INTENT);
}

describe('what comes late, and is worse than what an earlier take has', () => {
  beforeEach(() => retaken(0.3));

  it.each([
    ['a worse result', { ...UNFIT, file: OTHER, error: 0.9 }, FILE],
    ['a failure', { outcome: 'failed', failure: REFUSED } as const, FILE],
    ['a better result', { ...UNFIT, file: OTHER, error: 0.2 }, OTHER],
  ])('leaves the best for a row that was given up: %s', async (_, late, file) => {
    await ledger.settle(SECOND, { verdict: 'unknown', failure: LOST }, { outcome: 'unknown', failure: LOST });
    expect(await rowOf()).toMatchObject({ outcome: 'unknown', file: null });
    await ledger.settle(SECOND, { verdict: 'done', file: OTHER }, late);
    expect(await rowOf()).toMatchObject({ outcome: 'unfit', file, take: 2 });
  });

  it('leaves it for a row that was overdue', async () => {
    await ledger.settle(SECOND, { verdict: 'accepted', jobId: 'k' }, { state: 'processing' });
    await ledger.changeRunning(SECOND, { outcome: 'overdue', failure: LOST });
    await ledger.finishJob(SECOND, { failure: REFUSED }, { outcome: 'failed', failure: REFUSED });
    expect(await rowOf()).toMatchObject({ outcome: 'unfit', file: FILE });
  });
});

describe('a failure that is one too many', () => {
  it('halts the batch in the transaction that ends the row, and no success does', async () => {
    await ledger.tune('b', { halt: { when: 'soon', fail: 1, unit: 'rows' } });
    await ledger.settle(aKey(1), { verdict: 'done', file: FILE }, SUCCEEDED);
    expect((await ledger.findBatch('b'))?.halted).toBeNull();
    await ledger.intend(aKey(2), INTENT);
    expect((await ledger.findBatch('b'))?.halted).toBeNull();
    const failed = { outcome: 'failed', failure: REFUSED } as const;
    await ledger.settle(aKey(2), { verdict: 'rejected', failure: REFUSED }, failed);
    expect((await ledger.findBatch('b'))?.halted).not.toBeNull();
  });

  it('is none where the row had ended before', async () => {
    await ledger.giveUp(aKey(2), { outcome: 'cancelled' });
    await ledger.tune('b', { halt: { when: 'soon', fail: 1, unit: 'rows' } });
    await ledger.giveUp(aKey(2), { outcome: 'failed', failure: REFUSED });
    expect(await rowOf(2)).toMatchObject({ outcome: 'cancelled' });
    expect((await ledger.findBatch('b'))?.halted).toBeNull();
  });
});

describe('giving an attempt up', () => {
  const failed = { outcome: 'failed', failure: LOST } as const;

  it('ends the row of one that is lost, or that is due and cannot be made', async () => {
    await ledger.settle(aKey(1), { verdict: 'unknown', failure: LOST }, { state: 'submitting' });
    await ledger.giveUp(aKey(1), failed);
    expect(await rowOf()).toMatchObject(failed);
    await ledger.giveUp(aKey(2), failed);
    expect(await rowOf(2)).toMatchObject(failed);
  });

  it.each([
    ['is on the wire', undefined],
    ['was accepted', { verdict: 'accepted', jobId: 'j' }],
    ['is done', { verdict: 'done' }],
    ['was refused', { verdict: 'not-accepted', failure: REFUSED }],
  ] as const)('changes nothing where it %s by now', async (_, verdict) => {
    if (verdict !== undefined) await ledger.settle(aKey(1), verdict, { state: 'waiting' });
    await ledger.giveUp(aKey(1), failed);
    expect(await rowOf()).toMatchObject({ outcome: null });
    // Nor for one that comes after it and is not due.
    if (verdict?.verdict !== 'not-accepted') await ledger.giveUp(aKey(1, 2), failed);
    expect(await rowOf()).toMatchObject({ outcome: null });
  });

  it('changes nothing where the row is at another take', async () => {
    await ledger.settle(aKey(1), { verdict: 'unknown', failure: LOST }, { outcome: 'unknown', failure: LOST });
    await redriveNow(ledger, 'b', [
      { row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } },
    ]);
    await ledger.giveUp(aKey(1), failed);
    expect(await rowOf()).toMatchObject({ take: 2, outcome: null });
  });
});

describe('a new take of its own', () => {
  const retake = { retake: 'speech', reason: 'on-unknown', most: 2, otherwise: { outcome: 'unknown', failure: LOST } };

  it('keeps why the one before came to nothing', async () => {
    await ledger.settle(aKey(1), { verdict: 'unknown', failure: LOST }, retake as RowEffect);
    expect(await ledger.takesOf('b', 1)).toMatchObject([
      { take: 2, reason: 'on-unknown', before: { outcome: null, failure: LOST, file: null, extraFiles: [] } },
    ]);
    expect(await rowOf()).toMatchObject({ take: 2, autoTakes: 1, outcome: null });
    expect(await rowOf(2)).toMatchObject({ take: 1, autoTakes: 0 });
  });

  it('is not made for a row that has ended', async () => {
    await ledger.settle(aKey(1), { verdict: 'unknown', failure: LOST }, { outcome: 'cancelled' });
    await ledger.giveUp(aKey(1), retake as Parameters<Ledger['giveUp']>[1]);
    expect(await rowOf()).toMatchObject({ take: 1, outcome: 'cancelled' });
    expect(await ledger.takesOf('b', 1)).toEqual([]);
  });
});
