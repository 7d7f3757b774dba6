import { beforeEach, describe, expect, it } from '@jest/globals';
import type { BatchSettings } from '../../../contract/batch.ts';
import type { HaltPolicy } from '../../../contract/halt.ts';
import type { Outcome } from '../../../contract/outcomes.ts';
import { LedgerMisuse } from '../../../ledger/errors.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { LoadedRow, RowRecord } from '../../../ledger/record-types.ts';
import { expectKept } from '../recount.ts';
import { aBatch, aKey, aRow, claimAnew, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

/** Row 1 is spoken in parts: rows 3, 4 and 5. Row 2 is whole. */
const PARTS = [3, 4, 5];
const JOINED = { key: 'b/1-joined.mp3', bytes: 9, sha256: 'f'.repeat(64), extension: 'mp3', seconds: 3 };
const LOST = { class: 'OutcomeUnknown', message: 'No answer came.' } as const;
const AT_FIRST: HaltPolicy = { when: 'soon', fail: 1, unit: 'rows' };
const FAILED = { class: 'JobFailed', cause: 'job failed', message: 'The job failed.' } as const;

let ledger: Ledger;
ledgerForEachTest(async (made) => {
  ledger = made;
});

const part = (text: string): { spec: LoadedRow['spec']; quoted: number } => {
  return { spec: { kind: 'tts', text, voice: 'v', extra: {} }, quoted: 1 };
};

async function load(change: Partial<LoadedRow> = {}, settings: Partial<BatchSettings> = {}): Promise<void> {
  const batch = aBatch();
  await ledger.createBatch({ ...batch, settings: { ...batch.settings, ...settings } });
  const rows = ['One.', 'Two.', 'Three.'].map(part);
  await ledger.addRows('b', [{ ...aRow(1), quoted: 3, parts: { first: 3, rows }, ...change }, aRow(2)]);
  await ledger.openBatch('b', 2);
}

async function rowOf(row: number): Promise<RowRecord> {
  const found = await ledger.readRow('b', row);
  if (found === undefined) throw new Error(`There is no row ${row}.`);
  return found.row;
}

/** Sends a part, and ends it like this. */
async function end(row: number, outcome: 'succeeded' | 'failed' | 'unknown' | 'unfit', take = 1): Promise<void> {
  const key = aKey(row, 1, take);
  expect((await ledger.intend(key, INTENT)).type).toBe('go');
  if (outcome === 'unknown') {
    await ledger.settle(key, { verdict: 'unknown', failure: LOST }, { outcome, failure: LOST });
    return;
  }
  await ledger.settle(key, { verdict: 'accepted', jobId: `job-${row}-${take}` }, { state: 'processing' });
  const file = { ...JOINED, key: `b/${row}-speech-${take}.mp3` };
  if (outcome === 'failed') await ledger.finishJob(key, { failure: FAILED }, { outcome, failure: FAILED });
  else if (outcome === 'succeeded') await ledger.finishJob(key, { file, credits: 1 }, { outcome, file });
  else {
    const failure = { class: 'Unfit', message: 'It is silent.' } as const;
    await ledger.finishJob(key, { file, failure }, { outcome, failure, file });
  }
}

async function join(): Promise<void> {
  const { rows } = await claimAnew(ledger);
  const whole = rows.find(({ row }) => row.row === 1);
  expect(whole?.row).toMatchObject({ state: 'fetching', parts: 3 });
  await ledger.endWhole({ batch: 'b', row: 1, fence: whole?.row.fence ?? 0 }, { file: JOINED });
}

describe('a row in parts', () => {
  beforeEach(() => load());

  it('counts as one row, and is not listed with its parts', async () => {
    expect(await ledger.counts('b')).toMatchObject({ total: 2, states: { blocked: 1, waiting: 1 } });
    expect((await ledger.findBatch('b'))?.rows).toBe(2);
    const listed = [];
    for await (const { row } of ledger.scanRows('b')) listed.push(row.row);
    expect(listed).toEqual([1, 2]);
    const parts = await ledger.partsOf('b', 1);
    expect(parts.map(({ row }) => [row.row, row.id, row.spec.text, row.partOf])).toEqual([
      [3, 'r1#1', 'One.', 1],
      [4, 'r1#2', 'Two.', 1],
      [5, 'r1#3', 'Three.', 1],
    ]);
    expect(await ledger.findRowById('b', 'r1#2')).toBe(4);
    expect(await ledger.partsOf('b', 2)).toEqual([]);
    await expectKept(ledger, 'b');
  });

  it('is never sent itself, in whatever state it is', async () => {
    expect((await ledger.intend(aKey(1), INTENT)).type).toBe('blocked');
    for (const row of PARTS) await end(row, 'succeeded');
    expect((await rowOf(1)).state).toBe('fetching');
    expect((await ledger.intend(aKey(1), INTENT)).type).toBe('blocked');
    expect((await claimAnew(ledger)).rows.map(({ row }) => row.row)).toEqual([1, 2]);
    expect((await ledger.intend(aKey(1), INTENT)).type).toBe('blocked');
  });

  it('leaves its parts to any lane, like other rows', async () => {
    expect((await claimAnew(ledger)).rows.map(({ row }) => row.row)).toEqual([2, 3, 4, 5]);
  });

  it('is free to be joined once all have their results, and has their charges', async () => {
    await end(3, 'succeeded');
    await end(5, 'succeeded');
    expect((await rowOf(1)).state).toBe('blocked');
    await end(4, 'succeeded');
    await join();
    const whole = await ledger.readRow('b', 1);
    expect(whole?.row).toMatchObject({ outcome: 'succeeded', file: JOINED, take: 1 });
    expect(whole?.charges.map(({ row, jobId, charged }) => [row, jobId, charged])).toEqual([
      [3, 'job-3-1', 1],
      [4, 'job-4-1', 1],
      [5, 'job-5-1', 1],
    ]);
    expect((await ledger.money('b')).charged).toBe(3);
    await expectKept(ledger, 'b');
  });

  it('ends as the gravest of its parts, and says which one it is', async () => {
    await end(3, 'succeeded');
    await end(4, 'unknown');
    expect((await rowOf(1)).outcome).toBeNull();
    await end(5, 'succeeded');
    const { outcome, failure, endedAt } = await rowOf(1);
    expect(outcome).toBe('unknown');
    expect(failure).toEqual({ ...LOST, message: 'Part 2 of 3 (r1#2) ended unknown: No answer came.' });
    expect(endedAt).not.toBeNull();
    expect(await ledger.commonReasons('b', 5)).toMatchObject([{ class: 'OutcomeUnknown', ended: 1 }]);
    await expectKept(ledger, 'b');
  });

  it('names every part that has no result', async () => {
    await end(3, 'failed');
    await end(4, 'unknown');
    await end(5, 'failed');
    const message =
      '3 of 3 parts have no result: 1 unknown (r1#2), 2 failed (r1#1, r1#3). Part 2 of 3 (r1#2) ended unknown: No answer came.';
    expect((await rowOf(1)).failure).toEqual({ ...LOST, message });
    expect(await ledger.commonReasons('b', 5)).toMatchObject([{ class: 'OutcomeUnknown', ended: 1 }]);
    const how = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;
    await redriveNow(ledger, 'b', [{ row: 4, take: 1, how }]);
    await end(4, 'succeeded', 2);
    expect((await rowOf(1)).failure?.message).toMatch(/^2 of 3 parts have no result: 2 failed \(r1#1, r1#3\)\. Part 1/);
    await expectKept(ledger, 'b');
  });

  it.each<[Outcome, readonly ('failed' | 'unfit' | 'unknown' | 'succeeded')[]]>([
    ['failed', ['succeeded', 'failed', 'succeeded']],
    ['failed', ['unfit', 'succeeded', 'succeeded']],
    ['unknown', ['failed', 'unfit', 'unknown']],
  ])('ends %s with parts that ended %j', async (outcome, ends) => {
    for (const [at, one] of ends.entries()) await end(PARTS[at] ?? 0, one);
    expect((await rowOf(1)).outcome).toBe(outcome);
  });

  it('ends with a stop only after its parts, and is joined even then', async () => {
    await end(3, 'succeeded');
    await ledger.intend(aKey(4), INTENT);
    await ledger.settle(aKey(4), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    await ledger.setControl('b', 'stopping');
    await ledger.cancelRest('b');
    expect((await rowOf(1)).outcome).toBeNull();
    expect((await rowOf(5)).outcome).toBe('cancelled');
    await ledger.stopNow('b');
    expect(await rowOf(1)).toMatchObject({ outcome: 'overdue' });
    expect((await ledger.counts('b')).outcomes).toMatchObject({ overdue: 1, cancelled: 1 });
  });

  it('is opened again with one of its parts, which alone is paid again', async () => {
    await end(3, 'succeeded');
    await end(4, 'failed');
    await end(5, 'succeeded');
    await claimAnew(ledger);
    await end(2, 'succeeded');
    expect(await ledger.closeBatch('b')).toBe(0);
    await redriveNow(ledger, 'b', [{ row: 4, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    expect(await rowOf(1)).toMatchObject({ outcome: null, failure: null, state: 'blocked', take: 2 });
    expect((await ledger.findBatch('b'))?.state).toBe('open');
    await end(4, 'succeeded', 2);
    await join();
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', take: 2, file: JOINED });
    expect((await ledger.money('b')).charged).toBe(6.5);
    await expectKept(ledger, 'b');
  });

  it('keeps on record the file that a new part replaces', async () => {
    for (const row of PARTS) await end(row, 'succeeded');
    await join();
    const pay = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
    await redriveNow(ledger, 'b', [{ row: 4, take: 1, how: pay }]);
    expect(await rowOf(1)).toMatchObject({ outcome: null, file: null, take: 2 });
    expect(await ledger.takesOf('b', 1)).toMatchObject([
      { take: 2, reason: 'redrive', before: { outcome: 'succeeded', file: JOINED } },
    ]);
    await end(4, 'succeeded', 2);
    await join();
    await redriveNow(ledger, 'b', [{ row: 5, take: 1, how: pay }]);
    expect(await rowOf(1)).toMatchObject({ take: 3 });
  });

  it('is brought on by a late answer for a part, although its batch was closed', async () => {
    await end(2, 'succeeded');
    await end(3, 'succeeded');
    await end(4, 'unknown');
    await end(5, 'succeeded');
    expect((await rowOf(1)).outcome).toBe('unknown');
    expect(await ledger.closeBatch('b')).toBe(0);
    const file = { ...JOINED, key: 'b/4.mp3' };
    await ledger.settle(aKey(4), { verdict: 'done', file }, { outcome: 'succeeded', file });
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'fetching' });
    expect((await ledger.findBatch('b'))?.state).toBe('open');
    await join();
    await expectKept(ledger, 'b');
  });

  it('is not joined by whoever had it before a part changed', async () => {
    for (const row of PARTS) await end(row, 'succeeded');
    const claim = await claimAnew(ledger);
    const fence = claim.rows.find(({ row }) => row.row === 1)?.row.fence ?? 0;
    await redriveNow(ledger, 'b', [{ row: 3, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    await ledger.endWhole({ batch: 'b', row: 1, fence }, { file: JOINED });
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'blocked' });
  });

  it('fails if its parts cannot be joined, and is joined again, free, when a person says so', async () => {
    for (const row of PARTS) await end(row, 'succeeded');
    const { rows } = await claimAnew(ledger);
    const failure = { class: 'NotJoined', message: 'ffmpeg is not there.' } as const;
    await ledger.endWhole({ batch: 'b', row: 1, fence: rows[0]?.row.fence ?? 0 }, { failure });
    expect(await rowOf(1)).toMatchObject({ outcome: 'failed', failure });
    const pay = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
    await expect(redriveNow(ledger, 'b', [{ row: 1, take: 1, how: pay }])).rejects.toThrow(LedgerMisuse);
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'wait' } }]);
    await join();
    expect((await ledger.money('b')).charged).toBe(3);
  });

  it('fails with a part whose file is gone, which is then fetched again, free', async () => {
    for (const row of PARTS) await end(row, 'succeeded');
    const { rows } = await claimAnew(ledger);
    const gone = { class: 'ResultGone', message: 'Its file is missing.' } as const;
    await ledger.losePart({ batch: 'b', row: 1, fence: rows[0]?.row.fence ?? 0 }, 4, gone);
    expect(await rowOf(4)).toMatchObject({ outcome: 'failed', failure: gone, file: null });
    expect(await rowOf(1)).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
    await redriveNow(ledger, 'b', [{ row: 4, take: 1, how: { type: 'wait' } }]);
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'blocked' });
    const file = { ...JOINED, key: 'b/4-again.mp3' };
    await ledger.finishJob(aKey(4), { file }, { outcome: 'succeeded', file });
    await join();
    expect((await ledger.money('b')).charged).toBe(3);
  });
});

describe('a batch that halts at a failed row', () => {
  it.each<readonly ('failed' | 'succeeded')[]>([
    ['failed', 'succeeded', 'succeeded'],
    ['succeeded', 'succeeded', 'failed'],
  ])('halts at one in parts, whichever part failed: %s, %s, %s', async (...ends) => {
    await load({}, { halt: AT_FIRST });
    for (const [at, one] of ends.entries()) await end(PARTS[at] ?? 0, one);
    expect((await rowOf(1)).outcome).toBe('failed');
    expect(await ledger.findBatch('b')).toMatchObject({
      control: 'stopping',
      halted: '1 row failed, the threshold of --halt soon,fail=1',
    });
    expect((await ledger.intend(aKey(2), INTENT)).type).toBe('blocked');
  });

  it('goes on after one whose parts all have their results', async () => {
    await load({}, { halt: AT_FIRST });
    for (const row of PARTS) await end(row, 'succeeded');
    expect((await ledger.findBatch('b'))?.control).toBe('running');
  });
});

describe('a row in parts that was not chosen', () => {
  it('is skipped with them, at its own price, and is opened with them', async () => {
    await load({ isNotChosen: true });
    expect(await ledger.counts('b')).toMatchObject({ notChosen: 1, outcomes: { skipped: 1 } });
    expect(await ledger.skippedQuotes('b')).toEqual({ overBudget: 0, notChosen: 3 });
    expect((await claimAnew(ledger)).rows.map(({ row }) => row.row)).toEqual([2]);
    expect(await ledger.openUnsent('b', null, [1])).toBe(1);
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'blocked' });
    expect((await claimAnew(ledger)).rows.map(({ row }) => row.row)).toEqual([2, 3, 4, 5]);
    await expectKept(ledger, 'b');
  });
});

describe('a row in parts whose voice is not there', () => {
  it('waits for its parts, which wait for the voice', async () => {
    await load({ waitsFor: { type: 'training', voice: 'v' } });
    expect(await rowOf(1)).toMatchObject({ state: 'blocked', awaitedVoice: null });
    expect((await claimAnew(ledger)).rows.map(({ row }) => row.row)).toEqual([2]);
    await ledger.settleVoices([{ batch: 'b', voice: 'v', then: 'use' }]);
    expect((await claimAnew(ledger)).rows.map(({ row }) => row.row)).toEqual([2, 3, 4, 5]);
  });

  it('fails with them, unpaid, if the voice never comes', async () => {
    await load({ waitsFor: { type: 'training', voice: 'v' } });
    const failure = { class: 'NoVoice', message: 'Too long.' } as const;
    await ledger.settleVoices([{ batch: 'b', voice: 'v', then: 'give-up', failure }]);
    expect(await rowOf(1)).toMatchObject({ outcome: 'failed', failure: { class: 'NoVoice' } });
  });
});

it('parts whose results were all there before make a row that is cached', async () => {
  await load();
  for (const row of PARTS) {
    const key = aKey(row);
    const file = { ...JOINED, key: `b/${row}.mp3` };
    await ledger.intend(key, { ...INTENT, resultKey: `k${row}` });
    await ledger.settle(key, { verdict: 'done', file }, { outcome: 'succeeded', file });
  }
  await ledger.createBatch(aBatch('c'));
  await ledger.addRows('c', [{ ...aRow(1), parts: { first: 2, rows: ['One.', 'Two.'].map(part) } }]);
  await ledger.openBatch('c', 1);
  for (const [row, from] of [
    [2, 3],
    [3, 4],
  ] as const) {
    const [result] = await ledger.findResults([`k${from}`]);
    if (result === undefined) throw new Error('There is no result.');
    const file = { ...JOINED, key: `c/${row}.mp3` };
    const use = { result, file, extraFiles: [], saved: 1, owner: 'w' };
    expect((await ledger.useResult({ ...aKey(row), batch: 'c' }, use)).used).toBe(true);
  }
  const lease = await ledger.acquireLane({ batch: 'c', lane: 1, run: 'run', owner: 'w' });
  const claim = await ledger.claimRows({ ...lease, limit: 5 });
  if (claim === 'lost') throw new Error('lost');
  await ledger.endWhole({ batch: 'c', row: 1, fence: claim.rows[0]?.row.fence ?? 0 }, { file: JOINED });
  expect((await ledger.readRow('c', 1))?.row.outcome).toBe('cached');
});
