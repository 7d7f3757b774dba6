import { describe, expect, it } from '@jest/globals';
import type { ResultFile } from '../../../ledger/records.ts';
import { accept, ask, backTo, finish, giveUpWaiting, GONE, PAY, redrive, RESUBMIT, send, WAIT } from '../actions.ts';
import { chargesOf, kept, rowOf } from '../readings.ts';
import { aBatch, aKey, aRow, ledger, ledgerForEachTest, load } from '../setup.ts';

/** A file that is fetched again takes no room from a budget, then and later: it was paid for long ago. */

ledgerForEachTest(() => {
  const rows = [1, 2].map((row) => ({ ...aRow(row), quoted: 10 }));
  return load(rows, { settings: { budget: 120 } });
});

const TEN = { quoted: 10 };

const fileOf = (take: number): ResultFile => {
  return { key: `b/1-${take}.mp3`, bytes: 3, sha256: String(take).repeat(64), extension: 'mp3' };
};

async function make(take: number, credits: number): Promise<void> {
  await accept(aKey(1, 1, take), {}, TEN);
  await finish(aKey(1, 1, take), { file: fileOf(take), credits });
}

/** Two takes of row 1, charged so. */
async function makeTwo(first: number, second: number, lost = {}): Promise<void> {
  await make(1, first);
  await redrive(1, PAY, lost);
  await make(2, second);
}

/** The lost file of row 1 does not come either, and a new take is to replace it. */
async function resubmitLost(): Promise<void> {
  await make(1, 50);
  await redrive(1, WAIT, { lost: GONE });
  await giveUpWaiting(1);
  await redrive(1, RESUBMIT);
}

/** Nothing of row 1 is open: what it was charged is all that it takes. */
async function expectOver(running = 0): Promise<void> {
  expect(await ledger.chargeOutlook('b')).toMatchObject({ beyondLost: 0 });
  const { apiUrl, account } = aBatch();
  expect(await ledger.countRunning(apiUrl, account)).toBe(running);
  await kept();
}

it('is not counted at the worst ratio, and tells nothing anew', async () => {
  await makeTwo(10, 50);
  const { ratios } = await ledger.chargeOutlook('b');
  await redrive(1, backTo(1, { isLost: true }));
  // 60 are charged, and one at 50 fits.
  expect(await ledger.chargeOutlook('b')).toEqual({ ratios, beyondLost: 0 });
  await send(2, TEN);
  await finish(1, { file: fileOf(1), credits: 10 });
  expect((await ledger.chargeOutlook('b')).ratios).toEqual(ratios);
});

it('is not counted with its quote, if it was charged less', async () => {
  await makeTwo(1, 109);
  await redrive(1, backTo(1, { isLost: true }));
  await ledger.tune('b', { budget: 219 });
  await send(2, TEN);
});

it('and is given up for a new take has ended: its job runs no more, and takes no room for ever', async () => {
  await resubmitLost();
  await expectOver();
  await ledger.tune('b', { budget: 150 });
  await make(2, 50);
  const first = { failure: { class: 'ResultGone' }, file: null, finishedAt: expect.any(Number) };
  expect(await chargesOf(1)).toMatchObject([first, { file: fileOf(2) }]);
  // 100 are charged, and one at 50 fits.
  await send(2, TEN);
});

it('and is given up for a new take that does not fit is waited for again, with what is on record of it', async () => {
  await resubmitLost();
  await ledger.tune('b', { budget: 60 });
  expect(await ask(aKey(1, 1, 2), TEN)).toBe('over-budget');
  expect(await rowOf(1)).toMatchObject({ outcome: 'overdue', take: 1 });
  expect(await chargesOf(1)).toMatchObject([{ file: fileOf(1), finishedAt: null, failure: null }]);
  await expectOver(1);
  await redrive(1, WAIT);
  await finish(1, { file: fileOf(1) });
  expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', take: 1, file: fileOf(1) });
  await expectOver();
});

it('and whose job is named no more when the batch stops is overdue as before', async () => {
  await resubmitLost();
  await ledger.stopNow('b');
  expect(await rowOf(1)).toMatchObject({ outcome: 'overdue', take: 1 });
  expect(await chargesOf(1)).toMatchObject([{ file: fileOf(1), finishedAt: null }]);
});

describe('a result that could not be fetched, but told its price,', () => {
  /** Row 1 was charged as quoted, or told nothing, and row 2 five times as much. Its job is read again, and then overdue. */
  async function miss(told: { credits?: number }): Promise<void> {
    await accept(2, {}, TEN);
    await finish(2, { credits: 50 });
    await accept(1, {}, TEN);
    await finish(1, { failure: GONE, ...told });
    await redrive(1, WAIT);
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'processing' });
    await giveUpWaiting(1);
  }

  it('takes no room while its job is read again, nor once that is overdue', async () => {
    await miss({ credits: 10 });
    expect((await ledger.chargeOutlook('b')).beyondLost).toBe(0);
    await redrive(1, RESUBMIT);
    await expectOver();
    await ledger.tune('b', { budget: 70 });
    expect(await ask(aKey(1, 1, 2), TEN)).toBe('over-budget');
    expect(await rowOf(1)).toMatchObject({ outcome: 'overdue', take: 1 });
    await expectOver(1);
  });

  it('counts as any other that runs if it told none', async () => {
    await miss({});
    expect((await ledger.chargeOutlook('b')).beyondLost).toBe(40);
  });

  it('takes no room either if its row does not go back to it after all', async () => {
    await makeTwo(50, 10, { lost: GONE });
    await redrive(1, backTo(1));
    expect(await rowOf(1)).toMatchObject({ outcome: null, returnedTo: 1 });
    await expectOver(1);
    await giveUpWaiting(1);
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', returnedTo: null, file: fileOf(2) });
    await expectOver();
    await redrive(1, backTo(1));
    await finish(1, { file: fileOf(1), credits: 50 });
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', returnedTo: 1, file: fileOf(1) });
    await expectOver();
  });
});
