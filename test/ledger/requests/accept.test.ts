import { describe, expect, it } from '@jest/globals';
import { parseHalt } from '../../../contract/halt.ts';
import { LedgerMisuse } from '../../../ledger/errors.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { RedriveChoice } from '../../../ledger/takes/redrive.ts';
import { afterResult } from '../../../policy/rows/after-result.ts';
import { planRedrive } from '../../../policy/redrive/redrive.ts';
import { aBatch, aKey, aRow, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

/** Results that did not pass a check: kept and paid for, and taken as they are only by a person's word. */

const SILENT = { key: 'b/1-speech-1.mp3', bytes: 3, sha256: 'a'.repeat(64), extension: 'mp3', unfit: 'silent' };
const ROWS = 3;

let ledger: Ledger;

ledgerForEachTest(async (made) => {
  ledger = made;
  await ledger.createBatch(aBatch());
  const dub = { kind: 'dub', text: 'Row 2', voice: 'v', video: 'http://h/v.mp4', extra: {} } as const;
  await ledger.addRows('b', [aRow(1), { ...aRow(2), spec: dub }, aRow(3)]);
  await ledger.openBatch('b', ROWS);
});

const NO_RETAKES = { retakes: 0, control: 'running' } as const;

const ACCEPT = { step: null, resubmit: false, replace: false, accept: true, edited: null } as const;

const acceptance = (row: number): Omit<RedriveChoice, 'outcome'> => ({ row, take: 1, how: { type: 'accept' } });

/** The speech of this row comes, and is silent. */
async function endUnfit(row: number): Promise<void> {
  await ledger.intend(aKey(row), INTENT);
  await ledger.settle(aKey(row), { verdict: 'accepted', jobId: `job-${row}` }, { state: 'processing' });
  const { effect, ...why } = afterResult({ kind: row === 2 ? 'dub' : 'tts' }, 'speech', SILENT, NO_RETAKES);
  await ledger.finishJob(aKey(row), { file: SILENT, credits: 4, ...why }, effect);
}

describe('an unfit result', () => {
  it('ends its row, is paid for, and stays on record with its request', async () => {
    await endUnfit(1);
    const { row, charges } = (await ledger.readRow('b', 1)) ?? {};
    expect(row).toMatchObject({ outcome: 'unfit', failure: { class: 'Unfit' }, file: SILENT });
    expect(charges).toMatchObject([{ state: 'accepted', charged: 4, failure: { class: 'Unfit' }, file: SILENT }]);
    expect(charges?.[0]?.finishedAt).not.toBeNull();
    expect(await ledger.runningJobs('b')).toEqual([]);
    expect(await ledger.counts('b')).toMatchObject({ outcomes: { unfit: 1 } });
  });

  it('that came as the answer itself does, too', async () => {
    await ledger.intend(aKey(1), INTENT);
    const { effect, ...why } = afterResult({ kind: 'tts' }, 'speech', SILENT, NO_RETAKES);
    await ledger.settle(aKey(1), { verdict: 'done', file: SILENT, credits: 4, ...why }, effect);
    const { row, charges } = (await ledger.readRow('b', 1)) ?? {};
    expect(row).toMatchObject({ outcome: 'unfit', file: SILENT });
    expect(charges).toMatchObject([{ state: 'done', charged: 4, failure: { class: 'Unfit' }, file: SILENT }]);
    await redriveNow(ledger, 'b', [acceptance(1)]);
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'succeeded', failure: null, file: SILENT });
  });

  it.each(['soon,fail=2', 'now,fail=2'])('counts as a failure for --halt %s', async (policy) => {
    const halt = parseHalt(policy);
    await ledger.tune('b', halt === undefined ? {} : { halt });
    await endUnfit(1);
    expect((await ledger.findBatch('b'))?.halted).toBeNull();
    await endUnfit(2);
    expect((await ledger.findBatch('b'))?.halted).toContain('2 rows failed');
  });
});

describe('paying for another', () => {
  const again = { row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } } as const;
  const failed = { outcome: 'failed', failure: { class: 'JobFailed', message: 'The job failed.' } } as const;

  async function failAgain(): Promise<void> {
    const key = aKey(1, 1, 2);
    await ledger.intend(key, INTENT);
    await ledger.settle(key, { verdict: 'accepted', jobId: 'again' }, { state: 'processing' });
    await ledger.finishJob(key, { failure: failed.failure }, failed);
  }

  it('keeps what is there if the other fails', async () => {
    await endUnfit(1);
    await redriveNow(ledger, 'b', [again]);
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: null, file: null });
    await failAgain();
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'unfit', file: SILENT, take: 2 });
  });

  it('keeps nothing of another text', async () => {
    await endUnfit(1);
    const { spec, input, quoted } = aRow(1);
    const edited = { spec: { ...spec, text: 'Another' }, input, quoted };
    await redriveNow(ledger, 'b', [{ ...again, how: { ...again.how, reason: 'edited', edited } }]);
    await failAgain();
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'failed', file: null });
  });
});

describe('accepting it', () => {
  it('ends the row well, free, and opens nothing', async () => {
    await endUnfit(1);
    await ledger.setControl('b', 'stopping');
    await ledger.cancelRest('b');
    expect(await ledger.closeBatch('b')).toBe(0);
    const before = await ledger.money('b');
    expect(await redriveNow(ledger, 'b', [acceptance(1)])).toEqual({ rows: [1], left: [] });
    const { row, charges } = (await ledger.readRow('b', 1)) ?? {};
    // Why it had not passed stays on record with the file.
    expect(row).toMatchObject({ outcome: 'succeeded', failure: null, file: SILENT, take: 1 });
    expect(charges).toMatchObject([{ failure: null, file: SILENT, charged: 4 }]);
    expect(await ledger.money('b')).toEqual(before);
    expect(await ledger.counts('b')).toMatchObject({ outcomes: { succeeded: 1, unfit: 0, cancelled: 2 } });
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'closed', control: 'stopping' });
  });

  it('opens a row that has steps to come, and the batch with it', async () => {
    await endUnfit(2);
    await ledger.setControl('b', 'stopping');
    await ledger.cancelRest('b');
    await ledger.closeBatch('b');
    const held = (await ledger.readRow('b', 2))?.row.fence ?? 0;
    await redriveNow(ledger, 'b', [acceptance(2)]);
    const { row, charges } = (await ledger.readRow('b', 2)) ?? {};
    expect(row).toMatchObject({ outcome: null, state: 'waiting', failure: null, file: null, endedAt: null, take: 1 });
    expect(row?.fence).toBeGreaterThan(held);
    expect(charges).toMatchObject([{ step: 'speech', failure: null, file: SILENT }]);
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'open', control: 'running' });
    expect(await ledger.intend(aKey(2, 1, 1, 'lip-sync'), INTENT)).toMatchObject({ type: 'go' });
  });

  it.each([1, 2])('is planned and done the same way if the budget refuses a further take (row %d)', async (row) => {
    await endUnfit(row);
    const again = { row, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } } as const;
    await redriveNow(ledger, 'b', [again]);
    await ledger.tune('b', { budget: 4 });
    expect(await ledger.intend(aKey(row, 1, 2), INTENT)).toMatchObject({ type: 'over-budget' });
    const found = await ledger.readRow('b', row);
    expect(found?.row).toMatchObject({ outcome: 'unfit', file: SILENT, take: 2 });
    const before = await ledger.money('b');
    expect(found && planRedrive(found.row, found.charges, ACCEPT)).toEqual({ type: 'accept', step: 'speech' });
    expect(await redriveNow(ledger, 'b', [{ ...acceptance(row), take: 2 }])).toEqual({ rows: [row], left: [] });
    expect(await ledger.money('b')).toEqual(before);
    const { row: accepted } = (await ledger.readRow('b', row)) ?? {};
    if (row === 1) expect(accepted).toMatchObject({ outcome: 'succeeded', failure: null, file: SILENT });
    else expect(accepted).toMatchObject({ outcome: null, acceptedTake: 1 });
    await ledger.tune('b', { budget: null });
    if (row === 2) expect(await ledger.intend(aKey(2, 1, 2, 'lip-sync'), INTENT)).toMatchObject({ type: 'go' });
  });

  it('is for rows that ended unfit; of several choices all or none', async () => {
    await endUnfit(1);
    await ledger.giveUp(aKey(3), { outcome: 'failed' });
    await expect(redriveNow(ledger, 'b', [acceptance(1), acceptance(3)])).rejects.toThrow(LedgerMisuse);
    expect((await ledger.readRow('b', 1))?.row.outcome).toBe('unfit');
  });

  it('leaves a row alone that somebody had moved on', async () => {
    await endUnfit(1);
    const seen: RedriveChoice = { ...acceptance(1), outcome: 'unfit' };
    await ledger.redrive('b', [seen]);
    expect(await ledger.redrive('b', [seen])).toEqual({ rows: [], left: [1] });
    expect((await ledger.readRow('b', 1))?.row.outcome).toBe('succeeded');
  });
});
