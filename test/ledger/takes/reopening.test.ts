import { beforeEach, describe, expect, it } from '@jest/globals';
import { LedgerMisuse } from '../../../ledger/errors.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { RedriveChoice } from '../../../ledger/takes/redrive.ts';
import type { RowRecord } from '../../../ledger/record-types.ts';
import { aBatch, aKey, aRow, claimAnew, endAnyhow, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

/** What a row and its batch look like after a person opened them again, to the last column. */

const FILE = { key: 'b/1-speech-1.mp3', bytes: 3, sha256: 'a'.repeat(64), extension: 'mp3' };
const SUBTITLES = { ...FILE, key: 'b/1.srt', extension: 'srt' };
const FAILURE = { class: 'JobFailed', message: 'The job failed.' } as const;
const WAIT = { type: 'wait' } as const;

let ledger: Ledger;

ledgerForEachTest(async (made) => {
  ledger = made;
  await ledger.createBatch(aBatch());
  await ledger.addRows('b', [
    aRow(1),
    { ...aRow(2), spec: { kind: 'dub', text: 'Row 2', voice: 'v', video: 'http://h/v.mp4', extra: {} } },
  ]);
  await ledger.openBatch('b', 2);
});

async function rowOf(row: number): Promise<RowRecord> {
  const found = await ledger.readRow('b', row);
  if (found === undefined) throw new Error('no such row');
  return found.row;
}

const pay = (row: number, fromStep: 'speech' | 'lip-sync' = 'speech', take = 1): Omit<RedriveChoice, 'outcome'> => ({
  row,
  take,
  how: { type: 'pay', fromStep, reason: 'redrive' },
});

async function acceptSpeech(row: number, take = 1): Promise<void> {
  await ledger.intend(aKey(row, 1, take), INTENT);
  await ledger.settle(aKey(row, 1, take), { verdict: 'accepted', jobId: `job-${row}` }, { state: 'processing' });
}

describe('a row with a result that is paid for again', () => {
  beforeEach(async () => {
    await claimAnew(ledger, { lane: 2, limit: 2 });
    await acceptSpeech(1);
    const ending = { outcome: 'succeeded', file: FILE, extraFiles: [SUBTITLES], text: 'Row 1' } as const;
    await ledger.finishJob(aKey(1), { file: FILE }, ending);
    expect(await redriveNow(ledger, 'b', [pay(1)])).toEqual({ rows: [1], left: [] });
  });

  it('is empty again, and free for the next claim', async () => {
    const row = await rowOf(1);
    expect(row).toMatchObject({ take: 2, redoFrom: null, state: 'waiting', outcome: null, failure: null });
    expect(row).toMatchObject({ file: null, extraFiles: [], text: null, waitSince: null, endedAt: null });
    const claimed = await claimAnew(ledger, { limit: 2 });
    expect(claimed.rows.map((one) => one.row.row)).toEqual([1]);
  });

  it('keeps what it had, in the record of the take', async () => {
    const [take, ...more] = await ledger.takesOf('b', 1);
    expect(more).toEqual([]);
    expect(take).toEqual({
      batch: 'b',
      row: 1,
      take: 2,
      reason: 'redrive',
      fromStep: 'speech',
      madeAt: take?.madeAt,
      before: {
        outcome: 'succeeded',
        failure: null,
        file: FILE,
        extraFiles: [SUBTITLES],
        standing: { redoFrom: null, acceptedTake: null, returnedTo: null },
      },
    });
    expect(take?.madeAt).toBeGreaterThan(1_700_000_000_000);
    expect(await ledger.takesOf('b', 2)).toEqual([]);
  });

  it('has its takes in order', async () => {
    await ledger.giveUp(aKey(1, 1, 2), { outcome: 'failed', failure: FAILURE });
    await redriveNow(ledger, 'b', [pay(1, 'speech', 2)]);
    expect((await ledger.takesOf('b', 1)).map(({ take }) => take)).toEqual([2, 3]);
  });
});

describe('the batch of a row that is opened again', () => {
  it('keeps its control while it is open', async () => {
    await ledger.giveUp(aKey(1), { outcome: 'failed', failure: FAILURE });
    await ledger.setControl('b', 'paused', FAILURE);
    await redriveNow(ledger, 'b', [pay(1)]);
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'open', control: 'paused', pauseReason: FAILURE });
  });

  it('runs again with nothing left of its end, where it was closed', async () => {
    await ledger.tune('b', { halt: { when: 'now', fail: 1, unit: 'rows' } });
    await ledger.giveUp(aKey(1), { outcome: 'failed', failure: FAILURE });
    expect(await ledger.closeBatch('b')).toBe(0);
    expect(await ledger.findBatch('b')).toMatchObject({ control: 'stopping', state: 'closed' });
    expect((await ledger.findBatch('b'))?.halted).not.toBeNull();
    await redriveNow(ledger, 'b', [pay(2)]);
    const batch = await ledger.findBatch('b');
    expect(batch).toMatchObject({ state: 'open', control: 'running', halted: null, pauseReason: null, closedAt: null });
    await acceptSpeech(2, 2);
    // It is no longer stopped at once: what runs is left alone.
    expect(await ledger.cancelRest('b')).toBe(0);
  });

  it('stays closed where no row was opened', async () => {
    for (const row of [1, 2]) await ledger.giveUp(aKey(row), { outcome: 'failed', failure: FAILURE });
    await ledger.closeBatch('b');
    expect(await redriveNow(ledger, 'b', [pay(1, 'speech', 7)])).toEqual({ rows: [], left: [1] });
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'closed' });
    expect(await redriveNow(ledger, 'b', [])).toEqual({ rows: [], left: [] });
  });
});

describe('a choice that makes no sense', () => {
  it('is refused in words', async () => {
    await expect(redriveNow(ledger, 'b', [pay(9)])).rejects.toThrow('Batch "b" has no row 9.');
    await ledger.giveUp(aKey(1), { outcome: 'failed', failure: FAILURE });
    await expect(redriveNow(ledger, 'b', [pay(1, 'lip-sync')])).rejects.toThrow('Row 1 of "b" has no step lip-sync.');
    await expect(redriveNow(ledger, 'b', [{ row: 1, take: 1, how: WAIT }])).rejects.toThrow(
      'Row 1 of "b" has no job to wait for. No row was changed.',
    );
    await ledger.createBatch(aBatch('new'));
    await expect(redriveNow(ledger, 'new', [])).rejects.toThrow('Batch "new" is loading; no row was changed.');
    await expect(redriveNow(ledger, 'x', [])).rejects.toThrow(LedgerMisuse);
  });

  it('names the step that may be paid already', async () => {
    await acceptSpeech(2);
    await ledger.finishJob(aKey(2), { file: FILE }, { state: 'waiting' });
    await ledger.intend(aKey(2, 1, 1, 'lip-sync'), INTENT);
    await endAnyhow(ledger, 2);
    await expect(redriveNow(ledger, 'b', [pay(2)])).rejects.toThrow(
      'The last lip-sync request of row 2 of "b" is still in flight; it is paid for again only if you say so. No row was changed.',
    );
    await ledger.settle(aKey(2, 1, 1, 'lip-sync'), { verdict: 'unknown' }, { outcome: 'unknown' });
    await expect(redriveNow(ledger, 'b', [pay(2)])).rejects.toThrow(
      'request of row 2 of "b" may have been charged; it is',
    );
  });

  it('does not mind what a step before those that are paid for came to', async () => {
    await acceptSpeech(2);
    await ledger.changeRunning(aKey(2), { outcome: 'overdue' });
    expect(await redriveNow(ledger, 'b', [pay(2, 'lip-sync')])).toEqual({ rows: [2], left: [] });
    expect(await rowOf(2)).toMatchObject({ redoFrom: 'lip-sync', take: 2 });
  });

  it('may pay again for a job that ended', async () => {
    await acceptSpeech(1);
    await ledger.finishJob(aKey(1), { failure: FAILURE }, { outcome: 'failed', failure: FAILURE });
    expect(await redriveNow(ledger, 'b', [pay(1)])).toEqual({ rows: [1], left: [] });
  });
});

describe('a job that is waited for again', () => {
  it('makes the row ready for its next step where its result is there', async () => {
    await acceptSpeech(2);
    await ledger.changeRunning(aKey(2), { outcome: 'overdue', failure: FAILURE });
    await ledger.finishJob(aKey(2), { file: FILE }, { state: 'waiting' });
    await redriveNow(ledger, 'b', [{ row: 2, take: 1, how: WAIT }]);
    expect(await rowOf(2)).toMatchObject({ state: 'waiting', outcome: null, failure: null, endedAt: null, file: null });
    const charge = (await ledger.readRow('b', 2))?.charges[0];
    expect(charge?.finishedAt).not.toBeNull();
  });

  it('frees the row for the next claim, with as many takes of its own as a new one', async () => {
    await claimAnew(ledger, { lane: 2, limit: 2 });
    await acceptSpeech(1);
    const retake = { retake: 'speech', reason: 'retake', most: 1, otherwise: { outcome: 'failed' } } as const;
    await ledger.finishJob(aKey(1), { failure: FAILURE }, retake);
    await ledger.intend(aKey(1, 1, 2), INTENT);
    await ledger.settle(aKey(1, 1, 2), { verdict: 'accepted', jobId: 'j2' }, { state: 'processing' });
    await ledger.changeRunning(aKey(1, 1, 2), { outcome: 'overdue' });
    await redriveNow(ledger, 'b', [{ row: 1, take: 2, how: WAIT }]);
    expect(await rowOf(1)).toMatchObject({ take: 2, autoTakes: 0, state: 'processing' });
    const claimed = await claimAnew(ledger, { limit: 2 });
    expect(claimed.rows.map(({ row }) => row.row)).toEqual([1]);
  });

  it('is at once a result where that is the last step, and says so of the row alone', async () => {
    await acceptSpeech(1);
    await ledger.changeRunning(aKey(1), { outcome: 'overdue', failure: FAILURE });
    await ledger.finishJob(aKey(1), { file: FILE }, { state: 'waiting' });
    const before = (await rowOf(1)).endedAt ?? 0;
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: WAIT }]);
    const row = await rowOf(1);
    expect(row).toMatchObject({ outcome: 'succeeded', failure: null, file: FILE, waitSince: null });
    expect(row.endedAt).toBeGreaterThanOrEqual(before);
    expect(await rowOf(2)).toMatchObject({ outcome: null });
  });

  it('is none that another take made, nor one that was refused', async () => {
    await acceptSpeech(1);
    await ledger.finishJob(aKey(1), { failure: FAILURE }, { outcome: 'failed', failure: FAILURE });
    await redriveNow(ledger, 'b', [pay(1)]);
    await ledger.giveUp(aKey(1, 1, 2), { outcome: 'cancelled' });
    await expect(redriveNow(ledger, 'b', [{ row: 1, take: 2, how: WAIT }])).rejects.toThrow('no job to wait for');
    await ledger.intend(aKey(2), INTENT);
    await ledger.settle(aKey(2), { verdict: 'rejected', failure: FAILURE }, { outcome: 'failed', failure: FAILURE });
    await expect(redriveNow(ledger, 'b', [{ row: 2, take: 1, how: WAIT }])).rejects.toThrow('no job to wait for');
  });
});
