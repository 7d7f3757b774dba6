import { describe, expect, it } from '@jest/globals';
import { LedgerMisuse } from '../../../ledger/errors.ts';
import { afterResult } from '../../../policy/rows/after-result.ts';
import { planRedrive } from '../../../policy/redrive/redrive.ts';
import { accept, ask, fail, finish, haltAt, PAY, redrive, send, settle, stop } from '../actions.ts';
import { batchOf, close, halted, money, rowOf, standing } from '../readings.ts';
import { aDub, aKey, aRow, ledger, ledgerForEachTest, load } from '../setup.ts';

/** Results that did not pass a check: kept and paid for, and taken as they are only by a person's word. */

const SILENT = { key: 'b/1-speech-1.mp3', bytes: 3, sha256: 'a'.repeat(64), extension: 'mp3', unfit: 'silent' };
const NO_RETAKES = { retakes: 0, control: 'running' } as const;
const WISH = { step: null, resubmit: false, replace: false, accept: true, edited: null } as const;
const ACCEPT = { type: 'accept' } as const;

ledgerForEachTest(() => load([aRow(1), aDub(2), aRow(3)]));

/** The speech of this row comes, and is silent. */
async function endUnfit(row: number): Promise<void> {
  await accept(row);
  const { effect, ...why } = afterResult({ kind: row === 2 ? 'dub' : 'tts' }, 'speech', SILENT, NO_RETAKES);
  await finish(row, { file: SILENT, credits: 4, ...why }, effect);
}

describe('an unfit result', () => {
  it('ends its row, is paid for, and stays on record with its request', async () => {
    await endUnfit(1);
    const { row, charges } = await standing(1);
    expect(row).toMatchObject({ outcome: 'unfit', failure: { class: 'Unfit' }, file: SILENT });
    const charge = { state: 'accepted', charged: 4, failure: { class: 'Unfit' }, file: SILENT };
    expect(charges).toMatchObject([{ ...charge, finishedAt: expect.any(Number) }]);
    expect(await ledger.runningJobs('b')).toEqual([]);
    expect(await ledger.counts('b')).toMatchObject({ outcomes: { unfit: 1 } });
  });

  it('that came as the answer itself does, too', async () => {
    await send(1);
    const { effect, ...why } = afterResult({ kind: 'tts' }, 'speech', SILENT, NO_RETAKES);
    await settle(1, { verdict: 'done', file: SILENT, credits: 4, ...why }, effect);
    const { row, charges } = await standing(1);
    expect(row).toMatchObject({ outcome: 'unfit', file: SILENT });
    expect(charges).toMatchObject([{ state: 'done', charged: 4, failure: { class: 'Unfit' }, file: SILENT }]);
    await redrive(1, ACCEPT);
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', failure: null, file: SILENT });
  });

  it.each(['soon,fail=2', 'now,fail=2'])('counts as a failure for --halt %s', async (policy) => {
    await haltAt(policy);
    await endUnfit(1);
    expect(await halted()).toBeNull();
    await endUnfit(2);
    expect(await halted()).toContain('2 rows failed');
  });
});

describe('paying for another', () => {
  it('keeps what is there if the other fails', async () => {
    await endUnfit(1);
    await redrive(1);
    expect(await rowOf(1)).toMatchObject({ outcome: null, file: null });
    await fail(aKey(1, 1, 2));
    expect(await rowOf(1)).toMatchObject({ outcome: 'unfit', file: SILENT, take: 2 });
  });

  it('keeps nothing of another text', async () => {
    await endUnfit(1);
    const { spec, input, quoted } = aRow(1);
    await redrive(1, { ...PAY, reason: 'edited', edited: { spec: { ...spec, text: 'Another' }, input, quoted } });
    await fail(aKey(1, 1, 2));
    expect(await rowOf(1)).toMatchObject({ outcome: 'failed', file: null });
  });
});

describe('accepting it', () => {
  it('ends the row well, free, and opens nothing', async () => {
    await endUnfit(1);
    await stop();
    await close();
    const before = await money();
    expect(await redrive(1, ACCEPT)).toEqual({ rows: [1], left: [] });
    const { row, charges } = await standing(1);
    // Why it had not passed stays on record with the file.
    expect(row).toMatchObject({ outcome: 'succeeded', failure: null, file: SILENT, take: 1 });
    expect(charges).toMatchObject([{ failure: null, file: SILENT, charged: 4 }]);
    expect(await money()).toEqual(before);
    expect(await ledger.counts('b')).toMatchObject({ outcomes: { succeeded: 1, unfit: 0, cancelled: 2 } });
    expect(await batchOf()).toMatchObject({ state: 'closed', control: 'stopping' });
  });

  it('opens a row that has steps to come, and the batch with it', async () => {
    await endUnfit(2);
    await stop();
    await close();
    const held = (await rowOf(2)).fence;
    await redrive(2, ACCEPT);
    const { row, charges } = await standing(2);
    expect(row).toMatchObject({ outcome: null, state: 'waiting', failure: null, file: null, endedAt: null, take: 1 });
    expect(row.fence).toBeGreaterThan(held);
    expect(charges).toMatchObject([{ step: 'speech', failure: null, file: SILENT }]);
    expect(await batchOf()).toMatchObject({ state: 'open', control: 'running' });
    await send(aKey(2, 1, 1, 'lip-sync'));
  });

  it.each([
    [1, { outcome: 'succeeded', failure: null, file: SILENT }],
    [2, { outcome: null, acceptedTake: 1 }],
  ])('is planned and done the same way if the budget refuses a further take (row %d)', async (row, accepted) => {
    await endUnfit(row);
    await redrive(row);
    await ledger.tune('b', { budget: 4 });
    expect(await ask(aKey(row, 1, 2))).toBe('over-budget');
    const found = await standing(row);
    expect(found.row).toMatchObject({ outcome: 'unfit', file: SILENT, take: 2 });
    const before = await money();
    expect(planRedrive(found.row, found.charges, WISH)).toEqual({ type: 'accept', step: 'speech' });
    expect(await redrive(row, ACCEPT)).toEqual({ rows: [row], left: [] });
    expect(await money()).toEqual(before);
    expect(await rowOf(row)).toMatchObject(accepted);
    await ledger.tune('b', { budget: null });
    if (row === 2) await send(aKey(2, 1, 2, 'lip-sync'));
  });

  it('is for rows that ended unfit, as they were seen; of several choices all or none', async () => {
    await endUnfit(1);
    await ledger.giveUp(aKey(3), { outcome: 'failed' });
    await expect(redrive([1, 3], ACCEPT)).rejects.toThrow(LedgerMisuse);
    expect((await rowOf(1)).outcome).toBe('unfit');
    await redrive(1, ACCEPT);
    expect(await redrive(1, ACCEPT, { outcome: 'unfit' })).toEqual({ rows: [], left: [1] });
    expect((await rowOf(1)).outcome).toBe('succeeded');
  });
});
