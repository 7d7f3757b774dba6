import { describe, expect, it } from '@jest/globals';
import { LedgerMisuse } from '../../../ledger/errors.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { RedriveChoice } from '../../../ledger/takes/redrive.ts';
import type { ChargeRecord, RowRecord } from '../../../ledger/record-types.ts';
import { aBatch, aKey, aRow, endAnyhow, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

const FILE = { key: 'b/1-speech-1.mp3', bytes: 3, sha256: 'a'.repeat(64), extension: 'mp3' };
const FAILED = { outcome: 'failed', failure: { class: 'JobFailed', message: 'The job failed.' } } as const;
const UNKNOWN = { outcome: 'unknown', failure: { class: 'OutcomeUnknown', message: 'No answer.' } } as const;

let ledger: Ledger;

ledgerForEachTest(async (made) => {
  ledger = made;
  await ledger.createBatch(aBatch());
  await ledger.addRows('b', [
    aRow(1),
    aRow(2),
    { ...aRow(3), spec: { kind: 'dub', text: 'Row 3', voice: 'v', video: 'http://h/v.mp4', extra: {} } },
  ]);
  await ledger.openBatch('b', 3);
});

async function rowOf(row: number): Promise<RowRecord & { readonly charges: readonly ChargeRecord[] }> {
  const found = await ledger.readRow('b', row);
  if (found === undefined) throw new Error('no such row');
  return { ...found.row, charges: found.charges };
}

function pay(row: number, take = 1, reason: 'redrive' | 'resubmitted' = 'redrive'): Omit<RedriveChoice, 'outcome'> {
  return { row, take, how: { type: 'pay', fromStep: 'speech', reason } };
}

async function accept(row: number, take = 1, jobId = `job-${row}-${take}`): Promise<void> {
  expect(await ledger.intend(aKey(row, 1, take), INTENT)).toMatchObject({ type: 'go' });
  await ledger.settle(aKey(row, 1, take), { verdict: 'accepted', jobId }, { state: 'processing' });
}

async function endAll(): Promise<void> {
  for (const row of [1, 2, 3]) await ledger.giveUp(aKey(row), FAILED);
  expect(await ledger.closeBatch('b')).toBe(0);
}

describe('redrive', () => {
  it('opens an ended row for a new take, the batch with it, and keeps how it stood', async () => {
    await accept(1);
    await ledger.finishJob(aKey(1), { failure: FAILED.failure }, FAILED);
    await endAll();
    expect(await redriveNow(ledger, 'b', [pay(1)])).toEqual({ rows: [1], left: [] });
    expect(await rowOf(1)).toMatchObject({ take: 2, outcome: null, state: 'waiting', failure: null, endedAt: null });
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'open', control: 'running', closedAt: null });
    expect(await ledger.takesOf('b', 1)).toMatchObject([
      { take: 2, reason: 'redrive', fromStep: 'speech', before: { ...FAILED, file: null } },
    ]);
    await accept(1, 2);
    expect(await ledger.money('b')).toMatchObject({ charged: 5 });
  });

  it('gives a take once, whoever asks: the second finds the row moved on', async () => {
    await endAll();
    const both = await Promise.all([redriveNow(ledger, 'b', [pay(1)]), redriveNow(ledger, 'b', [pay(1)])]);
    expect(both.map(({ rows }) => rows.length).toSorted((a, b) => a - b)).toEqual([0, 1]);
    expect(both.flatMap(({ left }) => left)).toEqual([1]);
    expect(await rowOf(1)).toMatchObject({ take: 2 });
    expect(await ledger.takesOf('b', 1)).toHaveLength(1);
  });

  it('lets nobody spend the key of a take that nobody made', async () => {
    await expect(ledger.revoke(aKey(1, 1, 2))).rejects.toThrow('nobody made take 2');
    expect(await ledger.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
  });

  it('leaves a row alone whose answer or result came since the person looked', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'unknown' }, UNKNOWN);
    await accept(2);
    await ledger.changeRunning(aKey(2), { ...UNKNOWN, outcome: 'overdue' });
    await ledger.giveUp(aKey(3), FAILED);
    const seen = [
      { ...pay(1, 1, 'resubmitted'), outcome: 'unknown' },
      { ...pay(2, 1, 'resubmitted'), outcome: 'overdue' },
      { ...pay(3), outcome: 'failed' },
    ] as const;
    // While the person reads the question.
    await ledger.settle(aKey(1), { verdict: 'done', file: FILE }, { outcome: 'succeeded', file: FILE });
    await ledger.finishJob(aKey(2), { file: FILE }, { outcome: 'succeeded', file: FILE });
    expect(await ledger.redrive('b', seen)).toEqual({ rows: [3], left: [1, 2] });
    for (const row of [1, 2]) expect(await rowOf(row)).toMatchObject({ outcome: 'succeeded', take: 1 });
  });

  it('leaves a row alone that has not ended', async () => {
    expect(await redriveNow(ledger, 'b', [pay(1)])).toEqual({ rows: [], left: [1] });
    expect(await rowOf(1)).toMatchObject({ take: 1 });
  });

  it('refuses all of the choices where one would pay again without a say', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'unknown', failure: UNKNOWN.failure }, UNKNOWN);
    await accept(2);
    await ledger.changeRunning(aKey(2), { outcome: 'overdue' });
    await endAll();
    await expect(redriveNow(ledger, 'b', [pay(3), pay(1)])).rejects.toThrow(LedgerMisuse);
    await expect(redriveNow(ledger, 'b', [pay(2)])).rejects.toThrow('may have been charged');
    expect(await rowOf(3)).toMatchObject({ take: 1, outcome: 'failed' });
    expect(await redriveNow(ledger, 'b', [pay(1, 1, 'resubmitted'), pay(2, 1, 'resubmitted')])).toEqual({
      rows: [1, 2],
      left: [],
    });
    expect(await ledger.money('b')).toMatchObject({ charged: 2.5, uncertain: 2.5 });
  });

  it('refuses a row with a request on the wire, also with a say', async () => {
    await ledger.intend(aKey(1), INTENT);
    await endAnyhow(ledger, 1);
    await expect(redriveNow(ledger, 'b', [pay(1, 1, 'resubmitted')])).rejects.toThrow('still in flight');
  });

  it('refuses a batch that is being stopped, and opens one that was', async () => {
    await ledger.giveUp(aKey(1), FAILED);
    await ledger.setControl('b', 'stopping');
    await expect(redriveNow(ledger, 'b', [pay(1)])).rejects.toThrow('being stopped');
    await ledger.cancelRest('b');
    await ledger.closeBatch('b');
    expect(await redriveNow(ledger, 'b', [pay(2)])).toEqual({ rows: [2], left: [] });
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'open', control: 'running' });
    expect(await ledger.intend(aKey(2, 1, 2), INTENT)).toMatchObject({ type: 'go' });
  });

  it('keeps the finished steps of a chain', async () => {
    await accept(3);
    await ledger.finishJob(aKey(3), { file: FILE }, { state: 'waiting' });
    await ledger.giveUp(aKey(3, 1, 1, 'lip-sync'), FAILED);
    await redriveNow(ledger, 'b', [{ row: 3, take: 1, how: { type: 'pay', fromStep: 'lip-sync', reason: 'redrive' } }]);
    expect(await rowOf(3)).toMatchObject({ take: 2, redoFrom: 'lip-sync' });
    expect(await ledger.intend(aKey(3, 1, 2, 'lip-sync'), INTENT)).toMatchObject({ type: 'go' });
  });

  it('takes over what a person edited, and keeps what it was', async () => {
    await endAll();
    const edited = { spec: { ...aRow(1).spec, text: 'Better' }, input: ['r1', 'Better', 'v'], quoted: 3 };
    await redriveNow(ledger, 'b', [
      { row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'edited', edited } },
    ]);
    expect(await rowOf(1)).toMatchObject(edited);
    expect(await ledger.takesOf('b', 1)).toMatchObject([
      { reason: 'edited', before: { spec: { text: 'Row 1' }, input: ['r1', 'Row 1', 'v'] } },
    ]);
  });
});

describe('waiting again', () => {
  it('waits for the job of an overdue row, in the same take', async () => {
    await accept(1);
    await ledger.changeRunning(aKey(1), { outcome: 'overdue' });
    expect(await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'wait' } }])).toMatchObject({ rows: [1] });
    const row = await rowOf(1);
    expect(row).toMatchObject({ take: 1, outcome: null, state: 'processing' });
    expect(row.waitSince).toBeGreaterThan(0);
    expect(await ledger.takesOf('b', 1)).toEqual([]);
  });

  it('is over at once where the result has come since', async () => {
    await accept(1);
    await ledger.changeRunning(aKey(1), { outcome: 'overdue' });
    await ledger.finishJob(aKey(1), { file: FILE }, { state: 'waiting' });
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'wait' } }]);
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', file: FILE });
  });

  it('looks again at a job whose result could not be fetched', async () => {
    await accept(1);
    const failure = { class: 'ResultGone', message: 'The link is dead.' } as const;
    await ledger.finishJob(aKey(1), { failure }, { outcome: 'failed', failure });
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'wait' } }]);
    const row = await rowOf(1);
    expect(row).toMatchObject({ outcome: null, state: 'processing' });
    expect(row.charges).toMatchObject([{ state: 'accepted', finishedAt: null, failure: null }]);
  });

  it('refuses a row without a job', async () => {
    await ledger.giveUp(aKey(1), FAILED);
    await expect(redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'wait' } }])).rejects.toThrow(
      'no job to wait for',
    );
  });

  it('takes a result that comes late for a row that was overdue', async () => {
    await accept(1);
    await ledger.changeRunning(aKey(1), { outcome: 'overdue' });
    await ledger.finishJob(aKey(1), { file: FILE }, { outcome: 'succeeded', file: FILE });
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', file: FILE });
  });
});

describe('takes of its own', () => {
  const retake = { retake: 'speech', reason: 'retake', most: 2, otherwise: FAILED } as const;

  it('are made so often and no more; the lane keeps the row', async () => {
    const lease = await ledger.acquireLane({ batch: 'b', run: 'run', lane: 1, owner: 'w' });
    await ledger.claimRows({ ...lease, limit: 1 });
    const { fence: number } = await rowOf(1);
    for (const take of [1, 2, 3]) {
      await accept(1, take);
      await ledger.finishJob(aKey(1, 1, take), { failure: FAILED.failure }, retake);
    }
    expect(await rowOf(1)).toMatchObject({ ...FAILED, take: 3, autoTakes: 2 });
    expect(await rowOf(1)).toMatchObject({ fence: number });
    expect(await ledger.takesOf('b', 1)).toMatchObject([{ reason: 'retake' }, { reason: 'retake' }]);
    expect(await ledger.money('b')).toMatchObject({ charged: 7.5 });
  });

  it('count anew after a person decided', async () => {
    await accept(1);
    await ledger.finishJob(aKey(1), { failure: FAILED.failure }, { ...retake, most: 1 });
    await ledger.giveUp(aKey(1, 1, 2), FAILED);
    await redriveNow(ledger, 'b', [pay(1, 2)]);
    expect(await rowOf(1)).toMatchObject({ take: 3, autoTakes: 0 });
  });

  it('follow a lost answer, whose charge stays uncertain', async () => {
    await ledger.intend(aKey(1), INTENT);
    const effect = { retake: 'speech', reason: 'on-unknown', most: 1, otherwise: UNKNOWN } as const;
    await ledger.settle(aKey(1), { verdict: 'unknown', failure: UNKNOWN.failure }, effect);
    expect(await rowOf(1)).toMatchObject({ take: 2, outcome: null });
    expect(await ledger.money('b')).toMatchObject({ uncertain: 2.5 });
    await ledger.intend(aKey(1, 1, 2), INTENT);
    await ledger.settle(aKey(1, 1, 2), { verdict: 'unknown', failure: UNKNOWN.failure }, effect);
    expect(await rowOf(1)).toMatchObject({ take: 2, outcome: 'unknown' });
  });
});
