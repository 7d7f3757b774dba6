import { describe, expect, it } from '@jest/globals';
import type { AttemptKey } from '../../../contract/batch.ts';
import type { Step } from '../../../contract/row-kinds.ts';
import type { Tuning } from '../../../contract/tunables.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { aBatch, aKey, aRow, fill, INTENT, ledgerForEachTest } from '../setup.ts';

const FAILED = { outcome: 'failed', failure: { class: 'BadRequest', message: 'No.' } } as const;

let ledger: Ledger;

ledgerForEachTest(async (made) => {
  ledger = made;
  await fill(ledger, 10);
});

const tune = (tuning: Tuning): Promise<unknown> => ledger.tune('b', tuning);

async function accept(row: number, credits?: number): Promise<void> {
  expect(await ledger.intend(aKey(row), INTENT)).toMatchObject({ type: 'go' });
  const verdict = { verdict: 'accepted', jobId: `j${row}`, ...(credits === undefined ? {} : { credits }) } as const;
  await ledger.settle(aKey(row), verdict, { state: 'processing' });
}

describe('the budget', () => {
  it('holds exactly, and ends what can never fit as skipped', async () => {
    await tune({ budget: 7.5 });
    for (const row of [1, 2, 3]) await accept(row);
    expect(await ledger.intend(aKey(4), INTENT)).toMatchObject({ type: 'over-budget' });
    const counts = await ledger.counts('b');
    expect(counts.outcomes.skipped).toBe(7);
    const row = (await ledger.readRow('b', 5))?.row;
    expect(row).toMatchObject({ outcome: 'skipped', failure: { class: 'OverBudget' } });
    expect((await ledger.readRow('b', 4))?.row.failure?.message).toContain('this row costs 2.5');
  });

  it('counts what is on the wire, and waits for it', async () => {
    await tune({ budget: 5 });
    await ledger.intend(aKey(1), INTENT);
    await ledger.intend(aKey(2), INTENT);
    expect(await ledger.intend(aKey(3), INTENT)).toMatchObject({ type: 'short' });
    await ledger.settle(aKey(1), { verdict: 'rejected' }, FAILED);
    expect(await ledger.intend(aKey(3), INTENT)).toMatchObject({ type: 'go' });
    expect((await ledger.counts('b')).outcomes.skipped).toBe(0);
  });

  it('counts unknown requests and figures of the API', async () => {
    await tune({ budget: 10 });
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'unknown' }, { outcome: 'unknown' });
    await accept(2, 6);
    expect(await ledger.intend(aKey(3), INTENT)).toMatchObject({ type: 'over-budget' });
  });

  it('keeps back what later steps of a begun row cost', async () => {
    await fill(ledger, 2, 'chain', 'dub');
    await ledger.tune('chain', { budget: 10 });
    const keyOf = (row: number, step: Step): AttemptKey => ({ ...aKey(row, 1, 1, step), batch: 'chain' });
    const speech = keyOf(1, 'speech');
    expect(await ledger.intend(speech, { ...INTENT, quotedRest: 6 })).toMatchObject({ type: 'go' });
    await ledger.settle(speech, { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    expect(await ledger.money('chain')).toMatchObject({ charged: 2.5, reserved: 6 });
    // Nor is it given to a step whose turn has not come.
    expect(await ledger.intend(keyOf(1, 'lip-sync'), { ...INTENT, quoted: 6 })).toMatchObject({ type: 'blocked' });
    expect(await ledger.intend(keyOf(2, 'speech'), INTENT)).toMatchObject({ type: 'over-budget' });
    await ledger.finishJob(speech, {}, { state: 'waiting' });
    expect(await ledger.intend(keyOf(1, 'lip-sync'), { ...INTENT, quoted: 6 })).toMatchObject({ type: 'go' });
    expect(await ledger.money('chain')).toMatchObject({ charged: 2.5, reserved: 6 });
  });

  it('lets a cheaper row through after a dear one was skipped', async () => {
    await tune({ budget: 5 });
    expect(await ledger.intend(aKey(1), { ...INTENT, quoted: 9 })).toMatchObject({ type: 'over-budget' });
    expect(await ledger.intend(aKey(2), INTENT)).toMatchObject({ type: 'go' });
  });

  it('refuses a request without a price', async () => {
    await tune({ budget: 100 });
    expect(await ledger.intend(aKey(1), { ...INTENT, quoted: null })).toMatchObject({ type: 'over-budget' });
  });

  it('can be raised while the batch runs', async () => {
    await tune({ budget: 2.5 });
    await accept(1);
    await tune({ budget: 5 });
    expect(await ledger.intend(aKey(2), INTENT)).toMatchObject({ type: 'go' });
  });

  it('counts the quote of a job that has cost nothing yet: it may be billed when it ends', async () => {
    await tune({ budget: 5 });
    for (const row of [1, 2]) await accept(row, 0);
    expect(await ledger.money('b')).toMatchObject({ charged: 5, estimated: true });
    expect(await ledger.intend(aKey(3), INTENT)).toMatchObject({ type: 'over-budget' });
    await ledger.finishJob(aKey(1), { credits: 2 }, { outcome: 'succeeded' });
    await ledger.finishJob(aKey(2), { credits: 0 }, { outcome: 'succeeded' });
    expect(await ledger.money('b')).toMatchObject({ charged: 2, estimated: false });
  });

  it('follows a figure that changes when the job ends', async () => {
    await tune({ budget: 10 });
    await accept(1);
    await ledger.finishJob(aKey(1), { credits: 8.1 }, { outcome: 'succeeded' });
    expect(await ledger.intend(aKey(2), INTENT)).toMatchObject({ type: 'over-budget' });
    expect(await ledger.money('b')).toMatchObject({ charged: 8.1 });
  });
});

describe('requests in flight that nobody has set', () => {
  const submitsOf = async (name: string): Promise<number | undefined> =>
    (await ledger.findBatch(name))?.settings.limits.submits;

  it('follow from the rows that were chosen, until somebody sets them', async () => {
    const batch = aBatch('small');
    const settings = { ...batch.settings, submitsByRows: true };
    await ledger.createBatch({ ...batch, settings, subset: { type: 'limit', rows: 5 } });
    const rows = Array.from({ length: 12 }, (_, index) => ({ ...aRow(index + 1), isNotChosen: index >= 5 }));
    await ledger.addRows('small', rows);
    await ledger.openBatch('small', 12);
    expect(await submitsOf('small')).toBe(2);
    await ledger.tune('small', { limits: { rate: 3 } });
    await ledger.openUnsent('small', null, [6, 7, 8, 9, 10, 11, 12]);
    expect(await submitsOf('small')).toBe(3);
    await ledger.tune('small', { limits: { submits: 8 } });
    expect(await submitsOf('small')).toBe(8);
  });

  it('count the parts of a row, for each is a request', async () => {
    const batch = aBatch('long');
    await ledger.createBatch({ ...batch, settings: { ...batch.settings, submitsByRows: true } });
    const parts = Array.from({ length: 40 }, () => ({ spec: aRow(1).spec, quoted: 1 }));
    await ledger.addRows('long', [{ ...aRow(1), parts: { first: 2, rows: parts } }]);
    await ledger.openBatch('long', 1);
    expect(await submitsOf('long')).toBe(8);
  });
});

describe('tune', () => {
  it('changes what is given, keeps the rest, and loses nothing of two at once', async () => {
    await Promise.all([tune({ limits: { rate: 5 } }), tune({ limits: { window: 7 } }), tune({ retakes: 2 })]);
    expect(await tune({})).toMatchObject({
      limits: { rate: 5, window: 7, submits: 8, pollRate: null },
      budget: null,
      halt: { when: 'never' },
      onUnknown: 'hold',
      retakes: 2,
    });
    expect((await ledger.findBatch('b'))?.settings).toMatchObject({ limits: { rate: 5 }, nameTemplate: '{id}.{ext}' });
  });
});
