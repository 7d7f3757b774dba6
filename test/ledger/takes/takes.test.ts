import { describe, expect, it } from '@jest/globals';
import { LedgerMisuse } from '../../../ledger/errors.ts';
import { accept, ask, fail, FAILED, FILE, finish, GONE, giveUpWaiting, JOB_FAILED, LOST } from '../actions.ts';
import {
  lose,
  PAY,
  redrive,
  reject,
  RESUBMIT,
  send,
  settle,
  stop,
  succeed,
  UNKNOWN,
  WAIT,
  WAITING,
} from '../actions.ts';
import { batchOf, chargesOf, claimed, close, money, outcomes, rowOf } from '../readings.ts';
import { aBatch, aDub, aKey, aRow, claimAnew, endAnyhow, ledger, ledgerForEachTest, load } from '../setup.ts';

/** New takes of rows that have ended, by a person's word or by themselves; row 3 is dubbed. */

ledgerForEachTest(() => load([aRow(1), aRow(2), aDub(3)]));

const again = aKey(1, 1, 2);
const lipSync = aKey(3, 1, 1, 'lip-sync');
const PAY_LIP_SYNC = { ...PAY, fromStep: 'lip-sync' } as const;

async function endAll(): Promise<void> {
  for (const row of [1, 2, 3]) await ledger.giveUp(aKey(row), FAILED);
  await close();
}

describe('a row that is paid for again', () => {
  it('is empty again, free for the next claim, and its record of takes keeps what it had, in order', async () => {
    await claimAnew(ledger, { lane: 2 });
    await accept(1);
    const had = { file: FILE, extraFiles: [{ ...FILE, extension: 'srt' }] };
    await finish(1, { file: FILE }, { outcome: 'succeeded', ...had, text: 'Row 1' });
    expect(await redrive(1)).toEqual({ rows: [1], left: [] });
    const row = await rowOf(1);
    expect(row).toMatchObject({ take: 2, redoFrom: null, state: 'waiting', outcome: null, failure: null });
    expect(row).toMatchObject({ file: null, extraFiles: [], text: null, waitSince: null, endedAt: null });
    expect(await claimed()).toEqual([1]);
    const before = { outcome: 'succeeded', failure: null, ...had };
    const take = { batch: 'b', row: 1, take: 2, reason: 'redrive', fromStep: 'speech', madeAt: expect.any(Number) };
    const unmoved = { redoFrom: null, acceptedTake: null, returnedTo: null };
    expect(await ledger.takesOf('b', 1)).toEqual([{ ...take, before: { ...before, standing: unmoved } }]);
    expect(await ledger.takesOf('b', 2)).toEqual([]);
    await fail(again);
    await redrive(1);
    expect((await ledger.takesOf('b', 1)).map((one) => one.take)).toEqual([2, 3]);
    expect(await money()).toMatchObject({ charged: 5 });
  });

  it('gives a take once, whoever asks: the second finds the row moved on', async () => {
    await endAll();
    const both = await Promise.all([redrive(1), redrive(1)]);
    expect(both.map(({ rows }) => rows.length).toSorted((a, b) => a - b)).toEqual([0, 1]);
    expect(both.flatMap(({ left }) => left)).toEqual([1]);
    expect(await ledger.takesOf('b', 1)).toHaveLength(1);
  });

  it('lets nobody spend the key of a take that nobody made', async () => {
    await expect(ledger.revoke(again)).rejects.toThrow('nobody made take 2');
    await send(1);
  });

  it('is left alone where its answer or result came since the person looked, or where it has not ended', async () => {
    await lose(1);
    await accept(2);
    await giveUpWaiting(2);
    // While the person reads the question.
    await settle(1, { verdict: 'done', file: FILE }, { outcome: 'succeeded', file: FILE });
    await finish(2, { file: FILE });
    const seen = [
      { row: 1, take: 1, outcome: 'unknown', how: RESUBMIT },
      { row: 2, take: 1, outcome: 'overdue', how: RESUBMIT },
      { row: 3, take: 1, outcome: 'failed', how: PAY },
    ] as const;
    expect(await ledger.redrive('b', seen)).toEqual({ rows: [], left: [1, 2, 3] });
    expect(await outcomes()).toEqual(['succeeded', 'succeeded', 'waiting']);
  });

  it('is refused with all of the choices where one would pay again without a say', async () => {
    await lose(1);
    await accept(2);
    await giveUpWaiting(2);
    await endAll();
    await expect(redrive([3, 1])).rejects.toThrow(LedgerMisuse);
    await expect(redrive(2)).rejects.toThrow('may have been charged');
    expect(await rowOf(3)).toMatchObject({ take: 1, outcome: 'failed' });
    expect(await redrive([1, 2], RESUBMIT)).toEqual({ rows: [1, 2], left: [] });
    expect(await money()).toMatchObject({ charged: 2.5, uncertain: 2.5 });
  });

  it('is refused with a request on the wire, also with a say', async () => {
    await send(1);
    await endAnyhow(ledger, 1);
    await expect(redrive(1, RESUBMIT)).rejects.toThrow('still in flight');
  });

  it('keeps the finished steps of a chain, whatever a step before those that are paid for came to', async () => {
    await accept(3);
    await giveUpWaiting(3);
    expect(await redrive(3, PAY_LIP_SYNC)).toEqual({ rows: [3], left: [] });
    expect(await rowOf(3)).toMatchObject({ take: 2, redoFrom: 'lip-sync' });
    await finish(3, { file: FILE }, WAITING);
    await send(aKey(3, 1, 2, 'lip-sync'));
  });

  it('takes over what a person edited, and keeps what it was', async () => {
    await endAll();
    const edited = { spec: { ...aRow(1).spec, text: 'Better' }, input: ['r1', 'Better', 'v'], quoted: 3 };
    await redrive(1, { ...PAY, reason: 'edited', edited });
    expect(await rowOf(1)).toMatchObject(edited);
    const before = { spec: { text: 'Row 1' }, input: ['r1', 'Row 1', 'v'] };
    expect(await ledger.takesOf('b', 1)).toMatchObject([{ reason: 'edited', before }]);
  });
});

describe('the batch of a row that is opened again', () => {
  it('keeps its control while it is open', async () => {
    await ledger.giveUp(aKey(1), FAILED);
    await ledger.setControl('b', 'paused', JOB_FAILED);
    await redrive(1);
    expect(await batchOf()).toMatchObject({ state: 'open', control: 'paused', pauseReason: JOB_FAILED });
  });

  it('refuses it while it is being stopped; runs again with nothing left of its end, where it was closed', async () => {
    await ledger.tune('b', { halt: { when: 'now', fail: 1, unit: 'rows' } });
    await ledger.giveUp(aKey(1), FAILED);
    expect(await batchOf()).toMatchObject({ control: 'stopping', halted: expect.any(String) });
    await expect(redrive(1)).rejects.toThrow('being stopped');
    await close();
    expect(await redrive(1, PAY, { take: 7 })).toEqual({ rows: [], left: [1] });
    expect(await redrive([])).toEqual({ rows: [], left: [] });
    expect(await batchOf()).toMatchObject({ state: 'closed' });
    await redrive(2);
    const begun = { state: 'open', control: 'running', halted: null, pauseReason: null, closedAt: null };
    expect(await batchOf()).toMatchObject(begun);
    await accept(aKey(2, 1, 2));
    // It is no longer stopped at once: what runs is left alone.
    await ledger.setControl('b', 'stopping');
    expect(await ledger.cancelRest('b')).toBe(0);
  });
});

describe('a choice that makes no sense', () => {
  it('is refused in words', async () => {
    const choice = { row: 9, take: 1, outcome: 'failed', how: PAY } as const;
    await expect(ledger.redrive('b', [choice])).rejects.toThrow('Batch "b" has no row 9.');
    await ledger.giveUp(aKey(1), FAILED);
    await expect(redrive(1, PAY_LIP_SYNC)).rejects.toThrow('Row 1 of "b" has no step lip-sync.');
    const noJob = 'Row 1 of "b" has no job to wait for. No row was changed.';
    await expect(redrive(1, WAIT)).rejects.toThrow(noJob);
    await ledger.createBatch(aBatch('new'));
    await expect(ledger.redrive('new', [])).rejects.toThrow('Batch "new" is loading; no row was changed.');
    await expect(ledger.redrive('x', [])).rejects.toThrow(LedgerMisuse);
  });

  it('names the step that may be paid already', async () => {
    await accept(3);
    await finish(3, { file: FILE }, WAITING);
    await send(lipSync);
    await endAnyhow(ledger, 3);
    await expect(redrive(3)).rejects.toThrow(
      'The last lip-sync request of row 3 of "b" is still in flight; it is paid for again only if you say so. No row was changed.',
    );
    await settle(lipSync, { verdict: 'unknown' }, { outcome: 'unknown' });
    await expect(redrive(3)).rejects.toThrow('request of row 3 of "b" may have been charged; it is');
  });
});

describe('a job that is waited for again', () => {
  it('is waited for in the same take, free for the next claim, with as many takes of its own as a new one', async () => {
    await claimAnew(ledger, { lane: 2 });
    await accept(1);
    await finish(1, { failure: JOB_FAILED }, { retake: 'speech', reason: 'retake', most: 1, otherwise: FAILED });
    await accept(again);
    await giveUpWaiting(again);
    expect(await redrive(1, WAIT)).toMatchObject({ rows: [1] });
    const row = await rowOf(1);
    expect(row).toMatchObject({ take: 2, autoTakes: 0, outcome: null, state: 'processing' });
    expect(row.waitSince).toBeGreaterThan(0);
    expect(await claimed()).toEqual([1]);
  });

  it.each([
    [1, { outcome: 'succeeded', file: FILE, endedAt: expect.any(Number) }],
    [3, { outcome: null, state: 'waiting', file: null, endedAt: null }],
  ])('is over at once where its result has come since: row %d ends, or is ready for its next step', async (row, is) => {
    await accept(row);
    await giveUpWaiting(row);
    await finish(row, { file: FILE }, WAITING);
    await redrive(row, WAIT);
    expect(await rowOf(row)).toMatchObject({ failure: null, ...is });
    expect((await chargesOf(row))[0]?.finishedAt).not.toBeNull();
    expect((await rowOf(2)).outcome).toBeNull();
  });

  it('is looked at again where its result could not be fetched', async () => {
    await fail(1, GONE);
    await redrive(1, WAIT);
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'processing' });
    expect(await chargesOf(1)).toMatchObject([{ state: 'accepted', finishedAt: null, failure: null }]);
  });

  it('is none that another take made, nor one that was refused', async () => {
    await fail(1);
    await redrive(1);
    await ledger.giveUp(again, { outcome: 'cancelled' });
    await reject(2);
    for (const row of [1, 2]) await expect(redrive(row, WAIT)).rejects.toThrow('no job to wait for');
  });
});

describe('takes of its own', () => {
  const retake = { retake: 'speech', reason: 'retake', most: 2, otherwise: FAILED } as const;

  it('are made so often and no more; the lane keeps the row; they count anew after a person decided', async () => {
    await claimAnew(ledger);
    const { fence } = await rowOf(1);
    for (const take of [1, 2, 3]) {
      await accept(aKey(1, 1, take));
      await finish(aKey(1, 1, take), { failure: JOB_FAILED }, retake);
    }
    expect(await rowOf(1)).toMatchObject({ ...FAILED, take: 3, autoTakes: 2, fence });
    expect(await ledger.takesOf('b', 1)).toMatchObject([{ reason: 'retake' }, { reason: 'retake' }]);
    expect(await money()).toMatchObject({ charged: 7.5 });
    await redrive(1);
    expect(await rowOf(1)).toMatchObject({ take: 4, autoTakes: 0 });
  });

  it('follow a lost answer, whose charge stays uncertain', async () => {
    const effect = { retake: 'speech', reason: 'on-unknown', most: 1, otherwise: UNKNOWN } as const;
    await lose(1, LOST, effect);
    expect(await rowOf(1)).toMatchObject({ take: 2, outcome: null });
    expect(await money()).toMatchObject({ uncertain: 2.5 });
    await lose(again, LOST, effect);
    expect(await rowOf(1)).toMatchObject({ take: 2, outcome: 'unknown' });
  });
});

/** A new take never takes away the result that its row has. */
describe('a new take of a row that has a result', () => {
  const BETTER = { ...FILE, key: 'two.mp3', sha256: 'b' };

  async function expectKept(more: object = {}): Promise<void> {
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', file: FILE, failure: null, ...more });
  }

  it.each([
    ['fails', { failure: JOB_FAILED }, FAILED],
    ['does not pass a check', { failure: JOB_FAILED }, { outcome: 'unfit', file: BETTER, failure: JOB_FAILED }],
  ] as const)('leaves it its result if it %s, and its charge on record', async (_, end, effect) => {
    await succeed(1, 2.5);
    await redrive(1);
    await accept(again);
    await finish(again, end, effect);
    await expectKept({ take: 2 });
    expect(await money()).toMatchObject({ charged: 5 });
    expect(await chargesOf(1)).toMatchObject([{ take: 1 }, { take: 2, failure: JOB_FAILED }]);
  });

  it('leaves it its result if it is refused, or over the budget, or stopped before it is sent', async () => {
    await succeed(1, 2.5);
    await redrive(1);
    await reject(again);
    await expectKept();
    await redrive(1);
    await ledger.tune('b', { budget: 3 });
    expect(await ask(aKey(1, 1, 3))).toBe('over-budget');
    await expectKept();
    await redrive(1);
    await stop();
    await expectKept();
  });

  it('leaves it in doubt if its answer was lost, its result if nothing comes of that, and else gives it the new one', async () => {
    await succeed(1, 2.5);
    await redrive(1);
    await lose(again);
    expect(await rowOf(1)).toMatchObject({ outcome: 'unknown' });
    await settle(again, { verdict: 'rejected', failure: JOB_FAILED }, FAILED);
    await expectKept();
    await redrive(1);
    await succeed(aKey(1, 1, 3), 2.5, BETTER);
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', file: BETTER });
  });
});
