import { describe, expect, it } from '@jest/globals';
import type { LoadedRow } from '../../../ledger/rows/row-records.ts';
import type { RowEnding } from '../../../ledger/rows/row-effects.ts';
import { accept, adopt, answer, ask, FAILED, FILE, finish, giveUpWaiting, LOST, lose } from '../actions.ts';
import { defer, haltAt, redrive, RESUBMIT, send, UNFIT, UNKNOWN, WAITING } from '../actions.ts';
import { batchOf, chargesOf, halted, messageOf, money, outcomes, rowOf } from '../readings.ts';
import { aDub, aKey, aRow, ledger, ledgerForEachTest, load } from '../setup.ts';

/** Which rows a budget that is used up ends, and in which words. */

ledgerForEachTest();

/** Rows at these prices, that speak or are dubbed. */
async function fillPriced(
  prices: readonly (number | null)[],
  budget: number | null,
  made: (row: number) => LoadedRow = aRow,
): Promise<void> {
  const rows = prices.map((quoted, index): LoadedRow => ({ ...made(index + 1), quoted }));
  await load(rows, { settings: { budget } });
}

const again = aKey(1, 1, 2);
const lipSync = (take = 1) => aKey(1, 1, take, 'lip-sync');

/** The job of row 1 has ended so, which is charged, and the row is to have a retake. */
async function failJob(quoted: number, quotedRest = 0, otherwise: RowEnding = FAILED): Promise<void> {
  await accept(1, { credits: quoted }, { quoted, quotedRest });
  const { failure, file } = otherwise;
  const end = { ...(failure && { failure }), ...(file && { file }) };
  await finish(1, end, { retake: 'speech', reason: 'retake', most: 2, otherwise });
}

describe('a row that does not fit', () => {
  it('takes with it the untouched rows that cost more than is left, and no others', async () => {
    await fillPriced([4, 6, 7, 6.5, 6, 3, null, 9], 10);
    await ledger.giveUp(aKey(8), { outcome: 'cancelled' });
    await send(1, { quoted: 4 });
    expect(await ask(4, { quoted: 6, quotedRest: 0.25 })).toBe('short');
    await answer(1);
    expect(await ask(5, { quoted: 6.5 })).toBe('over-budget');
    const kept = ['processing', 'waiting', 'skipped', 'skipped', 'skipped', 'waiting', 'waiting', 'cancelled'];
    expect(await outcomes()).toEqual(kept);
    await send(6, { quoted: 3 });
  });

  it('spares a row that was sent, has another take, or is being sent', async () => {
    await fillPriced([9, 9, 9, 9], 10);
    await defer(1, { quoted: 1 });
    await ledger.giveUp(aKey(2), { outcome: 'failed' });
    await redrive(2);
    await send(3, { quoted: 0 });
    await accept(4, {}, { quoted: 2 });
    expect(await ask(aKey(2, 1, 2), { quoted: 9 })).toBe('over-budget');
    expect(await outcomes()).toEqual(['waiting', 'skipped', 'submitting', 'processing']);
  });

  it('says what the row has cost before', async () => {
    await fillPriced([8], 10, aDub);
    await accept(1, { credits: 7 }, { quoted: 4, quotedRest: 4 });
    await finish(1, {}, WAITING);
    expect(await ask(lipSync(), { quoted: 4 })).toBe('over-budget');
    expect(await messageOf(1)).toContain('this row costs 4). The row has cost 7 before.');
  });

  it('ends as its job had failed, if it is the retake of that which does not fit', async () => {
    await fillPriced([3], 5);
    await failJob(3);
    expect(await ask(again, { quoted: 3 })).toBe('over-budget');
    const message =
      'The job failed. Not sent again: it would exceed the budget of 5 credits (3 spent or reserved, this row costs 3). The row has cost 3 before.';
    expect(await rowOf(1)).toMatchObject({ outcome: 'failed', failure: { class: 'JobFailed', message } });
    expect(await ledger.skippedQuotes('b')).toMatchObject({ overBudget: 0 });
    await redrive(1);
    expect(await ask(aKey(1, 1, 3), { quoted: 3 })).toBe('over-budget');
    expect(await rowOf(1)).toMatchObject({ outcome: 'skipped', failure: { class: 'OverBudget' } });
    expect(await messageOf(1)).toMatch(/^Not sent again: .+ The row has cost 3 before\.$/);
  });

  it('counts for --halt as a failed row, if it ends as one', async () => {
    await fillPriced([3, 1], 5);
    await haltAt('soon,fail=1');
    await failJob(3);
    expect(await halted()).toBeNull();
    expect(await ask(again, { quoted: 3 })).toBe('over-budget');
    expect(await halted()).toContain('1 row failed');
  });

  describe('because a request in doubt is to be sent again', () => {
    const retake = { retake: 'speech', reason: 'on-unknown', most: 2, otherwise: UNKNOWN } as const;
    const NOT_SENT = 'Not sent again: it would exceed the budget of 3 credits (2 spent or reserved, this row costs 2).';
    const two = { quoted: 2 };

    it('is unknown as before, and may still be given its job', async () => {
      await fillPriced([2], 3);
      await lose(1, LOST, retake, two);
      expect(await ask(again, two)).toBe('over-budget');
      const message = `No answer came. ${NOT_SENT}`;
      expect(await rowOf(1)).toMatchObject({
        outcome: 'unknown',
        take: 1,
        redoFrom: null,
        failure: { ...LOST, message },
      });
      expect(await chargesOf(1)).toMatchObject([{ state: 'unknown', take: 1 }]);
      expect(await ledger.takesOf('b', 1)).toEqual([]);
      expect(await adopt(1, 'j')).toBe(true);
      expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'processing' });
    });

    it('is unknown as before, if a person said so, and once there is room it is sent', async () => {
      await fillPriced([2], 3);
      await lose(1, LOST, UNKNOWN, two);
      for (let time = 1; time <= 2; time++) {
        await redrive(1, RESUBMIT);
        expect(await ask(again, two)).toBe('over-budget');
        expect(await rowOf(1)).toMatchObject({ outcome: 'unknown', take: 1 });
        expect(await messageOf(1)).toBe(`No answer came. ${NOT_SENT}`);
      }
      await ledger.tune('b', { budget: 4 });
      await redrive(1, RESUBMIT);
      await send(again, two);
    });

    it('is overdue as before, and may still be waited for, if its job ran', async () => {
      await fillPriced([2], 3);
      await accept(1, {}, two);
      await giveUpWaiting(1);
      await redrive(1, RESUBMIT);
      expect(await ask(again, two)).toBe('over-budget');
      expect(await rowOf(1)).toMatchObject({ outcome: 'overdue', take: 1 });
    });

    it('is skipped if the new take had a request that was refused, and says that it may have been charged', async () => {
      await fillPriced([2], 4);
      await lose(1, LOST, retake, two);
      await defer(again, two);
      await ledger.tune('b', { budget: 3 });
      expect(await ask(aKey(1, 2, 2), two)).toBe('over-budget');
      expect(await rowOf(1)).toMatchObject({ outcome: 'skipped', take: 2 });
      expect(await messageOf(1)).toBe(`${NOT_SENT} An earlier request may have been charged.`);
    });
  });

  it('is skipped where its retake was paid for in part', async () => {
    await fillPriced([6], 9, aDub);
    await failJob(2, 1);
    await accept(again, { credits: 5 }, { quoted: 2, quotedRest: 1 });
    await finish(again, {}, WAITING);
    expect(await ask(lipSync(2), { quoted: 4 })).toBe('over-budget');
    expect(await rowOf(1)).toMatchObject({ outcome: 'skipped', failure: { class: 'OverBudget' } });
  });

  it('says thousands as elsewhere', async () => {
    await fillPriced([12_345.5], 10_400);
    expect(await ask(1, { quoted: 12_345.5 })).toBe('over-budget');
    expect(await messageOf(1)).toContain('the budget of 10,400 credits (0 spent or reserved, this row costs 12,345.5)');
  });

  it('that keeps a result which did not pass says why it had no further take, however often it is tried', async () => {
    await fillPriced([3], 5);
    await failJob(3, 0, { outcome: 'unfit', failure: UNFIT, file: FILE });
    const message =
      'It is silent. No further take: it would exceed the budget of 5 credits (3 spent or reserved, this row costs 3).';
    for (const take of [2, 3]) {
      expect(await ask(aKey(1, 1, take), { quoted: 3 })).toBe('over-budget');
      expect(await rowOf(1)).toMatchObject({ outcome: 'unfit', file: FILE, failure: { class: 'Unfit', message } });
      await redrive(1);
    }
  });

  it('says so in credits', async () => {
    await fillPriced([3, 3.3, 8], 5.1);
    await accept(1, {}, { quoted: 1.1, quotedRest: 1 });
    expect(await ask(2, { quoted: 2.2, quotedRest: 1.1 })).toBe('over-budget');
    const words = 'Not sent: it would exceed the budget of 5.1 credits (2.1 spent or reserved';
    expect(await messageOf(2)).toBe(`${words}, this row costs 3.3). Nothing was charged.`);
    expect(await rowOf(3)).toMatchObject({
      failure: { class: 'OverBudget', message: `${words}). Nothing was charged.` },
      endedAt: expect.any(Number),
    });
  });

  it.each([
    [null, 0],
    [1, null],
  ])('is also one whose price is not known (%j and %j)', async (quoted, quotedRest) => {
    await fillPriced([null], 100);
    expect(await ask(1, { quoted, quotedRest })).toBe('over-budget');
    expect(await messageOf(1)).toContain('(0 spent or reserved');
  });
});

it('the first request of a batch is when it started, and stays so', async () => {
  await load(2);
  expect((await batchOf()).startedAt).toBeNull();
  await send(1, { linkHash: 'c'.repeat(64) });
  const startedAt = (await batchOf()).startedAt ?? 0;
  expect(startedAt).toBeGreaterThan(1_700_000_000_000);
  const sent = { quoted: 2.5, owner: 'w1', linkHash: 'c'.repeat(64), state: 'sending' };
  expect(await chargesOf(1)).toMatchObject([sent]);
  expect((await rowOf(1)).state).toBe('submitting');
  while (Date.now() <= startedAt) await money();
  await send(2);
  expect((await batchOf()).startedAt).toBe(startedAt);
});
