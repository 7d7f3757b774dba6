import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { expectKept } from '../recount.ts';
import { aBatch, aKey, aRow, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

/** A file that is fetched again takes no room from a budget, then and later: it was paid for long ago. */

let ledger: Ledger;
ledgerForEachTest(async (made) => {
  ledger = made;
  const batch = aBatch();
  await ledger.createBatch({ ...batch, settings: { ...batch.settings, budget: 120 } });
  await ledger.addRows(
    'b',
    [1, 2].map((row) => ({ ...aRow(row), quoted: 10 })),
  );
  await ledger.openBatch('b', 2);
});

const fileOf = (take: number) => {
  return { key: `b/1-${take}.mp3`, bytes: 3, sha256: String(take).repeat(64), extension: 'mp3' } as const;
};

async function make(take: number, credits: number): Promise<void> {
  const key = aKey(1, 1, take);
  const file = fileOf(take);
  expect((await ledger.intend(key, { ...INTENT, quoted: 10 })).type).toBe('go');
  await ledger.settle(key, { verdict: 'accepted', jobId: `j${take}` }, { state: 'processing' });
  await ledger.finishJob(key, { file, credits }, { outcome: 'succeeded', file });
}

it('is not counted at the worst ratio, and tells nothing anew', async () => {
  await make(1, 10);
  await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
  await make(2, 50);
  const { ratios } = await ledger.chargeOutlook('b');
  const earlier = { take: 1, who: 'ann', isLost: true };
  await redriveNow(ledger, 'b', [{ row: 1, take: 2, how: { type: 'accept', earlier } }]);
  // 60 are charged, and one at 50 fits.
  expect(await ledger.chargeOutlook('b')).toEqual({ ratios, beyondLost: 0 });
  expect((await ledger.intend(aKey(2), { ...INTENT, quoted: 10 })).type).toBe('go');
  await ledger.finishJob(aKey(1), { file: fileOf(1), credits: 10 }, { outcome: 'succeeded', file: fileOf(1) });
  expect((await ledger.chargeOutlook('b')).ratios).toEqual(ratios);
  await expectKept(ledger, 'b');
});

it('is not counted with its quote, if it was charged less', async () => {
  await make(1, 1);
  await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
  await make(2, 109);
  await redriveNow(ledger, 'b', [
    { row: 1, take: 2, how: { type: 'accept', earlier: { take: 1, who: 'ann', isLost: true } } },
  ]);
  await expectKept(ledger, 'b');
  await ledger.tune('b', { budget: 219 });
  expect((await ledger.intend(aKey(2), { ...INTENT, quoted: 10 })).type).toBe('go');
});

const RESUBMITTED = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;
const GONE = { class: 'ResultGone', message: 'lost', cause: 'a stored file is missing' } as const;
const LATE = { outcome: 'overdue', failure: { class: 'Overdue', message: 'Late.' } } as const;

/** Nothing of row 1 is open: what it was charged is all that it takes. */
async function expectOver(running = 0): Promise<void> {
  expect(await ledger.chargeOutlook('b')).toMatchObject({ beyondLost: 0 });
  const { apiUrl, account } = aBatch();
  expect(await ledger.countRunning(apiUrl, account)).toBe(running);
  await expectKept(ledger, 'b');
}

it('and is given up for a new take has ended: its job runs no more, and takes no room for ever', async () => {
  await make(1, 50);
  await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'wait' }, lost: GONE }]);
  await ledger.changeRunning(aKey(1), LATE);
  await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: RESUBMITTED }]);
  await expectOver();
  await ledger.tune('b', { budget: 150 });
  await make(2, 50);
  expect((await ledger.readRow('b', 1))?.charges).toMatchObject([
    { failure: { class: 'ResultGone' }, file: null, finishedAt: expect.any(Number) },
    { file: fileOf(2) },
  ]);
  // 100 are charged, and one at 50 fits.
  expect((await ledger.intend(aKey(2), { ...INTENT, quoted: 10 })).type).toBe('go');
});

it('and is given up for a new take that does not fit is waited for again, with what is on record of it', async () => {
  await make(1, 50);
  await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'wait' }, lost: GONE }]);
  await ledger.changeRunning(aKey(1), LATE);
  await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: RESUBMITTED }]);
  await ledger.tune('b', { budget: 60 });
  const answer = await ledger.intend(aKey(1, 1, 2), { ...INTENT, quoted: 10 });
  expect(answer).toMatchObject({ type: 'over-budget', row: { outcome: 'overdue', take: 1 } });
  expect(answer.charges).toMatchObject([{ file: fileOf(1), finishedAt: null, failure: null }]);
  await expectOver(1);
  await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'wait' } }]);
  await ledger.finishJob(aKey(1), { file: fileOf(1) }, { outcome: 'succeeded', file: fileOf(1) });
  expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'succeeded', take: 1, file: fileOf(1) });
  await expectOver();
});

it('and whose job is named no more when the batch stops is overdue as before', async () => {
  await make(1, 50);
  await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'wait' }, lost: GONE }]);
  await ledger.changeRunning(aKey(1), LATE);
  await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: RESUBMITTED }]);
  await ledger.stopNow('b');
  const found = await ledger.readRow('b', 1);
  expect(found?.row).toMatchObject({ outcome: 'overdue', take: 1 });
  expect(found?.charges).toMatchObject([{ file: fileOf(1), finishedAt: null }]);
});

describe('a result that could not be fetched, but told its price,', () => {
  /** Row 1 was charged as quoted, and row 2 five times as much; 60 of 120 are left. */
  async function miss(credits?: number): Promise<void> {
    await ledger.intend(aKey(2), { ...INTENT, quoted: 10 });
    await ledger.settle(aKey(2), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    await ledger.finishJob(aKey(2), { credits: 50 }, { outcome: 'succeeded' });
    await ledger.intend(aKey(1), { ...INTENT, quoted: 10 });
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    const told = credits === undefined ? {} : { credits };
    await ledger.finishJob(aKey(1), { failure: GONE, ...told }, { outcome: 'failed', failure: GONE });
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'wait' } }]);
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: null, state: 'processing' });
  }

  const overdueOutlook = async (): Promise<number> => {
    await ledger.changeRunning(aKey(1), LATE);
    return (await ledger.chargeOutlook('b')).beyondLost;
  };

  it('takes no room while its job is read again, nor once that is overdue', async () => {
    await miss(10);
    expect(await overdueOutlook()).toBe(0);
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: RESUBMITTED }]);
    await expectOver();
    await ledger.tune('b', { budget: 70 });
    expect(await ledger.intend(aKey(1, 1, 2), { ...INTENT, quoted: 10 })).toMatchObject({
      type: 'over-budget',
      row: { outcome: 'overdue', take: 1 },
    });
    await expectOver(1);
  });

  it('counts as any other that runs if it told none', async () => {
    await miss();
    expect(await overdueOutlook()).toBe(40);
  });

  it('takes no room either if its row does not go back to it after all', async () => {
    await make(1, 50);
    await redriveNow(ledger, 'b', [
      { row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' }, lost: GONE },
    ]);
    await make(2, 10);
    await redriveNow(ledger, 'b', [{ row: 1, take: 2, how: { type: 'accept', earlier: { take: 1, who: 'ann' } } }]);
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: null, returnedTo: 1 });
    await expectOver(1);
    await ledger.changeRunning(aKey(1), LATE);
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({
      outcome: 'succeeded',
      returnedTo: null,
      file: fileOf(2),
    });
    await expectOver();
    const again = { row: 1, take: 2, how: { type: 'accept', earlier: { take: 1, who: 'ann' } } } as const;
    await redriveNow(ledger, 'b', [again]);
    await ledger.finishJob(aKey(1), { file: fileOf(1), credits: 50 }, { outcome: 'succeeded', file: fileOf(1) });
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'succeeded', returnedTo: 1, file: fileOf(1) });
    await expectOver();
  });
});
