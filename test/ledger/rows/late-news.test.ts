import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../../contract/outcomes.ts';
import { accept, answer, complete, FAILED, FILE, finish, giveUpWaiting, haltAt, LOST, lose } from '../actions.ts';
import { OVERDUE, redrive, reject, REFUSED, RESUBMIT, send, settle, UNFIT, UNKNOWN, WAITING } from '../actions.ts';
import { batchOf, halted, money, rowOf } from '../readings.ts';
import { aKey, ledger, ledgerForEachTest, load } from '../setup.ts';

/** What an answer, or the end of a job, changes in a row that has ended without it. */

const OTHER = { ...FILE, key: 'b/1-speech-2.mp3' };
const SILENT = { outcome: 'unfit', failure: UNFIT } as const;
const SECOND = aKey(1, 1, 2);
const SUCCEEDED = { outcome: 'succeeded', file: FILE, extraFiles: [FILE], text: 'Hello' } as const;
const retake = (most: number, otherwise: typeof FAILED | (typeof SILENT & { file: typeof FILE; error?: number })) =>
  ({ retake: 'speech', reason: 'retake', most, otherwise }) as const;

ledgerForEachTest(() => load(2));

describe('an answer that comes late', () => {
  it('opens a row that was given up as failed, for want of an answer', async () => {
    await lose(1, LOST, { outcome: 'failed', failure: LOST });
    await answer(1);
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'processing', failure: null, endedAt: null });
  });

  it('leaves a row alone that failed for another reason', async () => {
    await lose(1, LOST, { outcome: 'failed', failure: REFUSED });
    await settle(1, { verdict: 'done', file: FILE }, SUCCEEDED);
    expect(await rowOf(1)).toMatchObject({ outcome: 'failed', failure: REFUSED, file: null });
    expect(await money()).toMatchObject({ charged: 2.5 });
  });

  it('ends the row with all that it brings, and no other row; a closed batch stays so', async () => {
    await lose(1);
    await ledger.giveUp(aKey(2), UNKNOWN);
    await ledger.closeBatch('b');
    const before = Date.now();
    await settle(1, { verdict: 'done', file: FILE }, SUCCEEDED);
    const row = await rowOf(1);
    expect(row).toMatchObject({ ...SUCCEEDED, failure: null });
    expect(row.endedAt).toBeGreaterThanOrEqual(before);
    expect(row.updatedAt).toBeGreaterThanOrEqual(before);
    expect(await rowOf(2)).toMatchObject({ outcome: 'unknown' });
    expect(await batchOf()).toMatchObject({ state: 'closed' });
  });

  it('gives an open row its effect as any other', async () => {
    await lose(1, LOST, { state: 'submitting' });
    await answer(1);
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'processing' });
  });

  it('gives no new take to a row that was given up, and ends it as it would without', async () => {
    await lose(1);
    await settle(1, { verdict: 'done', file: FILE, failure: UNFIT }, retake(2, { ...SILENT, file: FILE }));
    expect(await rowOf(1)).toMatchObject({ ...SILENT, file: FILE, take: 1 });
  });
});

describe('the end of a job', () => {
  beforeEach(() => accept(1));

  it.each<[Outcome, Outcome]>([
    ['overdue', 'succeeded'],
    ['cancelled', 'cancelled'],
    ['failed', 'failed'],
    ['unknown', 'unknown'],
  ])('makes of a row that ended %s one that %s', async (was, is) => {
    await ledger.changeRunning(aKey(1), { outcome: was, failure: LOST });
    expect(await finish(1, { file: FILE }, SUCCEEDED)).toBe(true);
    expect(await rowOf(1)).toMatchObject({ outcome: is, text: is === 'succeeded' ? 'Hello' : null });
    expect(await rowOf(2)).toMatchObject({ outcome: null });
  });

  it('gives no new take to an overdue row, and ends it as it would without', async () => {
    await giveUpWaiting(1);
    await finish(1, { failure: REFUSED }, retake(2, FAILED));
    expect(await rowOf(1)).toMatchObject({ ...FAILED, take: 1 });
  });

  it('leaves an overdue row as it is where it brings no ending', async () => {
    await giveUpWaiting(1);
    await finish(1, { file: FILE }, WAITING);
    expect(await rowOf(1)).toMatchObject(OVERDUE);
  });

  it('is news about money only, once the row is at another take', async () => {
    await giveUpWaiting(1);
    await redrive(1, RESUBMIT);
    expect(await finish(1, { file: FILE, credits: 9 }, SUCCEEDED)).toBe(true);
    expect(await rowOf(1)).toMatchObject({ take: 2, outcome: null, file: null });
    expect(await money()).toMatchObject({ charged: 9 });
  });
});

describe('what comes late, and is worse than what an earlier take has', () => {
  /** The first take did not pass, and the row is at its second. */
  beforeEach(async () => {
    await accept(1);
    await finish(1, { file: FILE, failure: UNFIT }, retake(1, { ...SILENT, file: FILE, error: 0.3 }));
  });

  it.each([
    ['a worse result', { ...SILENT, file: OTHER, error: 0.9 }, FILE],
    ['a failure', FAILED, FILE],
    ['a better result', { ...SILENT, file: OTHER, error: 0.2 }, OTHER],
  ])('leaves the best for a row that was given up: %s', async (_, late, file) => {
    await lose(SECOND);
    expect(await rowOf(1)).toMatchObject({ outcome: 'unknown', file: null });
    await settle(SECOND, { verdict: 'done', file: OTHER }, late);
    expect(await rowOf(1)).toMatchObject({ outcome: 'unfit', file, take: 2 });
  });

  it('leaves it for a row that was overdue', async () => {
    await accept(SECOND);
    await giveUpWaiting(SECOND);
    await finish(SECOND, { failure: REFUSED });
    expect(await rowOf(1)).toMatchObject({ outcome: 'unfit', file: FILE });
  });
});

it('a failure that is one too many halts the batch, no success does, and none of a row that had ended before', async () => {
  await haltAt('soon,fail=1');
  await complete(1, { file: FILE });
  await ledger.giveUp(aKey(1), FAILED);
  expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded' });
  expect(await halted()).toBeNull();
  await reject(2);
  expect(await halted()).not.toBeNull();
});

describe('giving an attempt up', () => {
  it('ends the row of one that is lost, or that is due and cannot be made', async () => {
    await lose(1, LOST, { state: 'submitting' });
    for (const row of [1, 2]) {
      await ledger.giveUp(aKey(row), FAILED);
      expect(await rowOf(row)).toMatchObject(FAILED);
    }
  });

  it.each([
    ['is on the wire', undefined],
    ['was accepted', { verdict: 'accepted', jobId: 'j' }],
    ['is done', { verdict: 'done' }],
    ['was refused', { verdict: 'not-accepted', failure: REFUSED }],
  ] as const)('changes nothing where it %s by now', async (_, verdict) => {
    await send(1);
    if (verdict !== undefined) await settle(1, verdict, WAITING);
    await ledger.giveUp(aKey(1), FAILED);
    // Nor for one that comes after it and is not due.
    if (verdict?.verdict !== 'not-accepted') await ledger.giveUp(aKey(1, 2), FAILED);
    expect(await rowOf(1)).toMatchObject({ outcome: null });
  });

  it('changes nothing where the row is at another take', async () => {
    await lose(1);
    await redrive(1, RESUBMIT);
    await ledger.giveUp(aKey(1), FAILED);
    expect(await rowOf(1)).toMatchObject({ take: 2, outcome: null });
  });
});

describe('a new take of its own', () => {
  const again = { retake: 'speech', reason: 'on-unknown', most: 2, otherwise: UNKNOWN } as const;

  it('keeps why the one before came to nothing', async () => {
    await lose(1, LOST, again);
    const before = { outcome: null, failure: LOST, file: null, extraFiles: [] };
    expect(await ledger.takesOf('b', 1)).toMatchObject([{ take: 2, reason: 'on-unknown', before }]);
    expect(await rowOf(1)).toMatchObject({ take: 2, autoTakes: 1, outcome: null });
    expect(await rowOf(2)).toMatchObject({ take: 1, autoTakes: 0 });
  });

  it('is not made for a row that has ended', async () => {
    await lose(1, LOST, { outcome: 'cancelled' });
    await ledger.giveUp(aKey(1), again);
    expect(await rowOf(1)).toMatchObject({ take: 1, outcome: 'cancelled' });
    expect(await ledger.takesOf('b', 1)).toEqual([]);
  });
});
