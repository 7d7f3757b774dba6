import { beforeEach, describe, expect, it } from '@jest/globals';
import { LedgerMisuse } from '../../../ledger/errors.ts';
import type { LoadedRow } from '../../../ledger/rows/row-records.ts';
import { ask, complete, fail, FILE, finish, GONE, LOST, lose, redrive, RESUBMIT, succeed, WAIT } from '../actions.ts';
import { batchOf, claimed, close, halted, money, outcomes, rowOf, standing } from '../readings.ts';
import { aKey, aRow, claimAnew, ledger, ledgerForEachTest, load, partsOf } from '../setup.ts';

/** Row 1 is spoken in parts: rows 3, 4 and 5. Row 2 is whole. */
const PARTS = [3, 4, 5];
const JOINED = { key: 'b/1-joined.mp3', bytes: 9, sha256: 'f'.repeat(64), extension: 'mp3', seconds: 3 };

ledgerForEachTest();

async function loadParts(change: Partial<LoadedRow> = {}): Promise<void> {
  await load([{ ...aRow(1), quoted: 3, parts: partsOf(3, 'One.', 'Two.', 'Three.'), ...change }, aRow(2)]);
}

const ENDS = {
  succeeded: (part: number) => succeed(part, 1),
  failed: (part: number) => fail(part),
  unknown: (part: number) => lose(part),
} as const;

/** Sends the parts, and ends them like this. */
async function end(...ends: readonly (keyof typeof ENDS)[]): Promise<void> {
  for (const [at, one] of ends.entries()) await ENDS[one](PARTS[at] ?? 0);
}

const endWell = (): Promise<void> => end('succeeded', 'succeeded', 'succeeded');

/** A lane claims row 1, to join it. */
async function claimWhole(): Promise<{ batch: string; row: number; fence: number }> {
  const whole = (await claimAnew(ledger)).rows.find(({ row }) => row.row === 1)?.row;
  expect(whole).toMatchObject({ state: 'fetching', parts: 3 });
  return { batch: 'b', row: 1, fence: whole?.fence ?? 0 };
}

async function join(): Promise<void> {
  await ledger.endSplitRow(await claimWhole(), { file: JOINED });
}

describe('a row in parts', () => {
  beforeEach(() => loadParts());

  it('counts as one row, is not listed with its parts, and leaves them to any lane, like other rows', async () => {
    expect(await ledger.counts('b')).toMatchObject({ total: 2, states: { blocked: 1, waiting: 1 } });
    expect((await batchOf()).rows).toBe(2);
    expect(await outcomes()).toEqual(['blocked', 'waiting']);
    const parts = await ledger.partsOf('b', 1);
    expect(parts.map(({ row }) => [row.row, row.id, row.spec.text, row.partOf])).toEqual([
      [3, 'r1#1', 'One.', 1],
      [4, 'r1#2', 'Two.', 1],
      [5, 'r1#3', 'Three.', 1],
    ]);
    expect(await ledger.findRowById('b', 'r1#2')).toBe(4);
    expect(await ledger.partsOf('b', 2)).toEqual([]);
    expect(await claimed()).toEqual([2, 3, 4, 5]);
  });

  it('is free to be joined once all have their results, and has their charges', async () => {
    await end('succeeded', 'succeeded');
    expect((await rowOf(1)).state).toBe('blocked');
    await succeed(5, 1);
    await join();
    const { row, charges } = await standing(1);
    expect(row).toMatchObject({ outcome: 'succeeded', file: JOINED, take: 1 });
    expect(charges.map((one) => [one.row, one.jobId, one.charged])).toEqual(PARTS.map((part) => [part, `j${part}`, 1]));
    expect((await money()).charged).toBe(3);
  });

  it('ends as the gravest of its parts, and says which one it is', async () => {
    await end('succeeded', 'unknown');
    expect((await rowOf(1)).outcome).toBeNull();
    await succeed(5);
    const failure = { ...LOST, message: 'Part 2 of 3 (r1#2) ended unknown: No answer came.' };
    expect(await rowOf(1)).toMatchObject({ outcome: 'unknown', failure, endedAt: expect.any(Number) });
    expect(await ledger.commonReasons('b', 5)).toMatchObject([{ class: 'OutcomeUnknown', ended: 1 }]);
  });

  it('names every part that has no result', async () => {
    await end('failed', 'unknown', 'failed');
    const message =
      '3 of 3 parts have no result: 1 unknown (r1#2), 2 failed (r1#1, r1#3). Part 2 of 3 (r1#2) ended unknown: No answer came.';
    expect((await rowOf(1)).failure).toEqual({ ...LOST, message });
    await redrive(4, RESUBMIT);
    await succeed(aKey(4, 1, 2));
    expect((await rowOf(1)).failure?.message).toMatch(/^2 of 3 parts have no result: 2 failed \(r1#1, r1#3\)\. Part 1/);
  });

  it('is opened again with one of its parts, which alone is paid again', async () => {
    await end('succeeded', 'failed', 'succeeded');
    await succeed(2);
    await close();
    await redrive(4);
    expect(await rowOf(1)).toMatchObject({ outcome: null, failure: null, state: 'blocked', take: 2 });
    expect((await batchOf()).state).toBe('open');
    await succeed(aKey(4, 1, 2), 1);
    await join();
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', take: 2, file: JOINED });
    expect((await money()).charged).toBe(2 + 2.5 + 2.5 + 1);
  });

  it('keeps on record the file that a new part replaces', async () => {
    await endWell();
    await join();
    await redrive(4);
    expect(await rowOf(1)).toMatchObject({ outcome: null, file: null, take: 2 });
    const before = { outcome: 'succeeded', file: JOINED };
    expect(await ledger.takesOf('b', 1)).toMatchObject([{ take: 2, reason: 'redrive', before }]);
    await succeed(aKey(4, 1, 2));
    await join();
    await redrive(5);
    expect(await rowOf(1)).toMatchObject({ take: 3 });
  });

  it('is not joined by whoever had it before a part changed', async () => {
    await endWell();
    const held = await claimWhole();
    await redrive(3);
    await ledger.endSplitRow(held, { file: JOINED });
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'blocked' });
  });

  it('fails if its parts cannot be joined, and is joined again, free, when a person says so', async () => {
    await endWell();
    const failure = { class: 'NotJoined', message: 'ffmpeg is not there.' } as const;
    await ledger.endSplitRow(await claimWhole(), { failure });
    expect(await rowOf(1)).toMatchObject({ outcome: 'failed', failure });
    await expect(redrive(1)).rejects.toThrow(LedgerMisuse);
    await redrive(1, WAIT);
    await join();
    expect((await money()).charged).toBe(3);
  });

  it('fails with a part whose file is gone, which is then fetched again, free', async () => {
    await endWell();
    await ledger.failLostPart(await claimWhole(), 4, GONE);
    expect(await rowOf(4)).toMatchObject({ outcome: 'failed', failure: GONE, file: null });
    expect(await rowOf(1)).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
    await redrive(4, WAIT);
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'blocked' });
    await finish(4, { file: FILE });
    await join();
    expect((await money()).charged).toBe(3);
  });
});

describe('a batch that halts at a failed row', () => {
  const halt = { when: 'soon', fail: 1, unit: 'rows' } as const;
  beforeEach(async () => {
    await loadParts();
    await ledger.tune('b', { halt });
  });

  it.each<readonly ('failed' | 'succeeded')[]>([
    ['failed', 'succeeded', 'succeeded'],
    ['succeeded', 'succeeded', 'failed'],
  ])('halts at one in parts, whichever part failed: %s, %s, %s', async (...ends) => {
    await end(...ends);
    expect((await rowOf(1)).outcome).toBe('failed');
    expect(await halted()).toBe('1 row failed, the threshold of --halt soon,fail=1');
    expect((await batchOf()).control).toBe('stopping');
    expect(await ask(2)).toBe('blocked');
  });

  it('goes on after one whose parts all have their results', async () => {
    await endWell();
    expect((await batchOf()).control).toBe('running');
  });
});

it('a row in parts that was not chosen is skipped with them, at its own price, and is opened with them', async () => {
  await loadParts({ isNotChosen: true });
  expect(await ledger.counts('b')).toMatchObject({ notChosen: 1, outcomes: { skipped: 1 } });
  expect(await ledger.skippedQuotes('b')).toEqual({ overBudget: 0, notChosen: 3 });
  expect(await claimed()).toEqual([2]);
  expect(await ledger.openUnsent('b', null, [1])).toBe(1);
  expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'blocked' });
  expect(await claimed()).toEqual([2, 3, 4, 5]);
});

describe('a row in parts whose voice is not there', () => {
  beforeEach(() => loadParts({ waitsFor: { type: 'training', voice: 'v' } }));

  it('waits for its parts, which wait for the voice', async () => {
    expect(await rowOf(1)).toMatchObject({ state: 'blocked', awaitedVoice: null });
    expect(await claimed()).toEqual([2]);
    await ledger.settleVoices([{ batch: 'b', voice: 'v', then: 'use' }]);
    expect(await claimed()).toEqual([2, 3, 4, 5]);
  });

  it('fails with them, unpaid, if the voice never comes', async () => {
    const failure = { class: 'NoVoice', message: 'Too long.' } as const;
    await ledger.settleVoices([{ batch: 'b', voice: 'v', then: 'give-up', failure }]);
    expect(await rowOf(1)).toMatchObject({ outcome: 'failed', failure: { class: 'NoVoice' } });
  });
});

it('parts whose results were all there before make a row that is cached', async () => {
  await loadParts();
  for (const row of PARTS) await complete(row, { file: FILE }, { resultKey: `k${row}` });
  await load([{ ...aRow(1), parts: partsOf(2, 'One.', 'Two.') }], { name: 'c' });
  for (const row of [2, 3]) {
    const [result] = await ledger.findResults([`k${row + 1}`]);
    if (result === undefined) throw new Error('There is no result.');
    const use = { result, file: { ...FILE, key: `c/${row}.mp3` }, extraFiles: [], saved: 1, owner: 'w' };
    expect((await ledger.useResult({ ...aKey(row), batch: 'c' }, use)).used).toBe(true);
  }
  const { rows } = await claimAnew(ledger, { batch: 'c' });
  await ledger.endSplitRow({ batch: 'c', row: 1, fence: rows[0]?.row.fence ?? 0 }, { file: JOINED });
  expect((await rowOf(1, 'c')).outcome).toBe('cached');
});
