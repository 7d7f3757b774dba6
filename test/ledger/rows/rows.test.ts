import { describe, expect, it } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { RowRecord } from '../../../ledger/record-types.ts';
import { FILE, upTo } from './rows-for-each.ts';
import { aKey, aRow, fill, INTENT, ledgerForEachTest } from '../setup.ts';

let ledger: Ledger;

ledgerForEachTest((made) => {
  ledger = made;
});

async function numbers(scan: AsyncIterable<{ row: RowRecord }>): Promise<number[]> {
  const found: number[] = [];
  for await (const { row } of scan) found.push(row.row);
  return found;
}

describe('rows', () => {
  it('come back as they were given', async () => {
    await fill(ledger, 1);
    const found = await ledger.readRow('b', 1);
    expect(found?.charges).toEqual([]);
    expect(found?.row).toMatchObject({
      ...aRow(1),
      kind: 'tts',
      state: 'waiting',
      outcome: null,
      take: 1,
      extraFiles: [],
    });
    expect(await ledger.readRow('b', 2)).toBeUndefined();
    expect(await ledger.findRowById('b', 'r1')).toBe(1);
    expect(await ledger.findRowById('b', 'r2')).toBeUndefined();
  });

  it('end only at the take that the caller knows', async () => {
    await fill(ledger, 1);
    await ledger.giveUp(aKey(1, 1, 2), { outcome: 'failed' });
    expect((await ledger.readRow('b', 1))?.row.outcome).toBeNull();
  });

  it('end once', async () => {
    await fill(ledger, 1);
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    await ledger.changeRunning(aKey(1), { state: 'fetching' });
    await ledger.changeRunning(aKey(1), { outcome: 'succeeded', file: FILE, extraFiles: [FILE], text: 'hello' });
    await ledger.changeRunning(aKey(1), { outcome: 'failed' });
    await ledger.changeRunning(aKey(1), { state: 'waiting' });
    const row = (await ledger.readRow('b', 1))?.row;
    expect(row).toMatchObject({
      state: 'fetching',
      outcome: 'succeeded',
      file: FILE,
      extraFiles: [FILE],
      text: 'hello',
    });
    expect(row?.endedAt).not.toBeNull();
  });

  it('list charges in the order of the chain', async () => {
    await fill(ledger, 1, 'b', 'dub');
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    await ledger.finishJob(aKey(1), {}, { state: 'waiting' });
    await ledger.intend(aKey(1, 1, 1, 'lip-sync'), INTENT);
    const found = await ledger.readRow('b', 1);
    expect(found?.charges.map(({ step }) => step)).toEqual(['speech', 'lip-sync']);
  });
});

describe('cancelRest', () => {
  it('ends what was never sent or refused, and leaves what is on the wire or runs', async () => {
    await fill(ledger, 6);
    for (const row of [2, 3, 4, 5]) await ledger.intend(aKey(row), INTENT);
    await ledger.settle(aKey(3), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    await ledger.settle(aKey(4), { verdict: 'not-accepted' }, { state: 'waiting' });
    // A chain whose first job is finished and whose second was not sent yet.
    await ledger.settle(aKey(5), { verdict: 'accepted', jobId: 'j5' }, { state: 'processing' });
    await ledger.finishJob(aKey(5), { file: FILE }, { state: 'waiting' });
    await ledger.giveUp(aKey(6), { outcome: 'failed' });
    expect(await ledger.cancelRest('b')).toBe(3);
    expect(await ledger.cancelRest('b')).toBe(0);
    const outcomes = await Promise.all(upTo(6).map(async (row) => (await ledger.readRow('b', row))?.row.outcome));
    expect(outcomes).toEqual(['cancelled', null, null, 'cancelled', 'cancelled', 'failed']);
  });
});

describe('counts', () => {
  it('add up', async () => {
    await fill(ledger, 4);
    await ledger.intend(aKey(1), INTENT);
    await ledger.giveUp(aKey(2), { outcome: 'unknown' });
    await ledger.giveUp(aKey(3), { outcome: 'succeeded' });
    expect(await ledger.counts('b')).toEqual({
      total: 4,
      notChosen: 0,
      states: { blocked: 0, waiting: 1, submitting: 1, processing: 0, fetching: 0, verifying: 0 },
      outcomes: { succeeded: 1, cached: 0, failed: 0, unfit: 0, skipped: 0, unknown: 1, overdue: 0, cancelled: 0 },
    });
  });
});

describe('scanRows', () => {
  it('walks all rows in manifest order, over many pages, with their charges', async () => {
    await fill(ledger, 1203);
    await ledger.intend(aKey(700), INTENT);
    expect(await numbers(ledger.scanRows('b'))).toEqual(upTo(1203));
    for await (const { row, charges } of ledger.scanRows('b')) expect(charges).toHaveLength(row.row === 700 ? 1 : 0);
  });

  it('filters by outcome and by the time of the end', async () => {
    await fill(ledger, 6);
    for (const row of [5, 2, 4]) await ledger.giveUp(aKey(row), { outcome: row === 4 ? 'unknown' : 'failed' });
    expect(await numbers(ledger.scanRows('b', { outcome: 'failed' }))).toEqual([2, 5]);
    expect((await numbers(ledger.scanRows('b', { endedSince: 0 }))).sort()).toEqual([2, 4, 5]);
    expect(await numbers(ledger.scanRows('b', { endedSince: 0, outcome: 'unknown' }))).toEqual([4]);
    const endedAt = (await ledger.readRow('b', 5))?.row.endedAt ?? 0;
    expect(await numbers(ledger.scanRows('b', { endedSince: endedAt }))).toContain(5);
    expect(await numbers(ledger.scanRows('b', { endedSince: Date.now() + 60_000 }))).toEqual([]);
  });

  it('reads what ended in the order of its end, each row once, also where many ended at one time', async () => {
    let time = 1;
    const timed = await openLedger(`${ledger.place}-timed`, { clock: { now: () => time } });
    await fill(timed, 1300);
    const odd = upTo(1200).filter((row) => row % 2 === 1);
    const even = upTo(1200).filter((row) => row % 2 === 0);
    for (const rows of [odd, even]) {
      time += 10;
      await Promise.all(rows.map((row) => timed.giveUp(aKey(row), { outcome: 'failed' })));
    }
    expect(await numbers(timed.scanRows('b', { endedSince: 0 }))).toEqual([...odd, ...even]);
    expect(await numbers(timed.scanRows('b', { endedSince: time }))).toEqual(even);
    await timed.close();
  });
});
