import { describe, expect, it } from '@jest/globals';
import { findMore, openMore } from '../../../client/run/record-batch.ts';
import type { AttemptKey } from '../../../contract/batch.ts';
import { OPERATIONS, ofEach, priceIn } from '../../../contract/row-kinds.ts';
import type { Subset } from '../../../contract/subset.ts';
import type { SoundManifest } from '../../../inputs/read-manifest.ts';
import type { BatchRecord } from '../../../ledger/batches/batch-records.ts';
import { aBatch, aKey, aRow, INTENT, ledgerForEachTest, ledger } from '../../ledger/setup.ts';
import { ANN } from '../../support/ann.ts';

const DRAWN: Subset = { type: 'sample', rows: 2, seed: 1 };
const ROWS = 6;

let batch: BatchRecord;
/** A batch whose sample of two rows, the first ones, was drawn in another way than today. */
ledgerForEachTest(async () => {
  const loading = await ledger.createBatch({ ...aBatch(), subset: DRAWN });
  await ledger.addRows(
    loading,
    Array.from({ length: ROWS }, (_, at) => ({ ...aRow(at + 1), isNotChosen: at >= 2 })),
  );
  await ledger.openBatch(loading, ROWS);
  batch = (await ledger.findBatch('b')) as BatchRecord;
});

/** Rows that a run asks for now, and finds by number. */
async function moreOf(subset: Subset | null, chosen: readonly number[]): Promise<number | undefined> {
  const isChosen: SoundManifest['summary']['isChosen'] = ({ row }) => chosen.includes(row);
  const manifest = { summary: { isChosen }, options: { subset } } as unknown as SoundManifest;
  return (await findMore(ledger, batch, manifest, {}))?.rows;
}

describe('rows that an earlier run left out', () => {
  it('are none if the same sample was drawn already, even if it would have other rows now', async () => {
    expect(await moreOf(DRAWN, [5, 6])).toBeUndefined();
  });

  it('are those that a larger sample, another seed or no sample adds', async () => {
    expect(await moreOf({ ...DRAWN, rows: 3 }, [1, 5, 6])).toBe(2);
    expect(await moreOf({ ...DRAWN, seed: 2 }, [5, 6])).toBe(2);
    expect(await moreOf(null, [1, 2, 3, 4, 5, 6])).toBe(4);
  });

  it('are the rest of a sample if a kill cut its opening short', async () => {
    const wider: Subset = { ...DRAWN, rows: 4 };
    await ledger.openUnsent('b', wider, [5]);
    batch = (await ledger.findBatch('b')) as BatchRecord;
    expect(await moreOf(wider, [1, 2, 5, 6])).toBe(1);
  });
});

describe('rows that the budget left out', () => {
  const all = { summary: { isChosen: () => true }, options: { subset: DRAWN } } as unknown as SoundManifest;

  /** The second of the two rows does not fit. */
  async function spend(): Promise<void> {
    await ledger.tune('b', { budget: 3 });
    expect(await ledger.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j', credits: 2.5 }, { state: 'processing' });
    expect(await ledger.intend(aKey(2), INTENT)).toMatchObject({ type: 'over-budget' });
    await ledger.finishJob(aKey(1), { credits: 2.5 }, { outcome: 'succeeded' });
    await ledger.closeBatch('b');
    batch = (await ledger.findBatch('b')) as BatchRecord;
  }

  it('go on with the same command at a larger budget, or at none, as new rows', async () => {
    await spend();
    expect(await findMore(ledger, batch, all, {})).toBeUndefined();
    expect(await findMore(ledger, batch, all, { budget: 4 })).toBeUndefined();
    expect(await findMore(ledger, batch, all, { budget: null })).toMatchObject({ rows: 1, quoted: 2.5, budget: null });
    const more = await findMore(ledger, batch, all, { budget: 5 });
    expect(more).toMatchObject({ rows: 1, quoted: 2.5, budget: 2.5 });
    await ledger.tune('b', { budget: 5 });
    if (more === undefined) throw new Error('there is more');
    expect(await openMore(ledger, more, all, ANN)).toBe(1);
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'open' });
    expect((await ledger.readRow('b', 2))?.row).toMatchObject({ outcome: null, failure: null, take: 1, endedAt: null });
    expect(await ledger.intend(aKey(2), INTENT)).toMatchObject({ type: 'go' });
  });

  it('stay as they are if the room is too small for what they may cost', async () => {
    await spend();
    await ledger.redrive('b', [
      { row: 1, take: 1, outcome: 'succeeded', how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } },
    ]);
    await ledger.tune('b', { budget: 6 });
    expect(await ledger.intend(aKey(1, 1, 2), INTENT)).toMatchObject({ type: 'go' });
    await ledger.settle(aKey(1, 1, 2), { verdict: 'accepted', jobId: 'k', credits: 5 }, { state: 'processing' });
    batch = (await ledger.findBatch('b')) as BatchRecord;
    expect(await findMore(ledger, batch, all, { budget: 12 })).toBeUndefined();
    expect(await findMore(ledger, batch, all, { budget: 12.5 })).toMatchObject({ rows: 1 });
  });

  it('stay as they are if rows that were quoted at nothing were charged more than is left', async () => {
    const free = { ...INTENT, quoted: 0 };
    const prices = ofEach(OPERATIONS, (operation) => ({ ...priceIn(batch.settings.prices, operation), credits: 0 }));
    const settings = { ...batch.settings, prices, budget: 20 };
    const loading = await ledger.createBatch({ ...aBatch('free'), settings });
    await ledger.addRows(
      loading,
      [1, 2].map((row) => ({ ...aRow(row), quoted: 0 })),
    );
    await ledger.openBatch(loading, 2);
    const keyIn = (row: number): AttemptKey => ({ ...aKey(row), batch: 'free' });
    expect(await ledger.intend(keyIn(1), free)).toMatchObject({ type: 'go' });
    await ledger.settle(keyIn(1), { verdict: 'accepted', jobId: 'j', credits: 0 }, { state: 'processing' });
    await ledger.finishJob(keyIn(1), { credits: 12 }, { outcome: 'succeeded' });
    expect(await ledger.intend(keyIn(2), free)).toMatchObject({ type: 'over-budget' });
    await ledger.closeBatch('free');
    batch = (await ledger.findBatch('free')) as BatchRecord;
    expect(await findMore(ledger, batch, all, {})).toBeUndefined();
    expect(await findMore(ledger, batch, all, { budget: 24 })).toMatchObject({ rows: 1 });
  });

  it('stay as they are with a request whose outcome nobody knows', async () => {
    await ledger.tune('b', { budget: 2.5 });
    await ledger.intend(aKey(2), INTENT);
    await ledger.settle(aKey(2), { verdict: 'unknown' }, { outcome: 'unknown' });
    await ledger.redrive('b', [
      { row: 2, take: 1, outcome: 'unknown', how: { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } },
    ]);
    await ledger.giveUp(aKey(2, 1, 2), {
      outcome: 'skipped',
      failure: { class: 'OverBudget', message: 'Not sent.' },
    });
    batch = (await ledger.findBatch('b')) as BatchRecord;
    expect(await findMore(ledger, batch, all, { budget: null })).toBeUndefined();
    expect(await ledger.openUnsent('b', null, [2])).toBe(0);
  });
});
