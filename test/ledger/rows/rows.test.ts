import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_PRICES } from '../../../contract/row-kinds.ts';
import { join } from 'node:path';
import type { RowRecord } from '../../../ledger/rows/row-records.ts';
import { toSettings } from '../../../ledger/batches/batch-records.ts';
import { freshFolder } from '../../support/fresh-folder.ts';
import { openTestLedger } from '../../support/open-test-ledger.ts';
import { accept, answer, complete, defer, FAILED, FILE, finish, send, WAITING } from '../actions.ts';
import { chargesOf, outcomes, rowOf, standing } from '../readings.ts';
import { aBatch, aDub, aKey, aRow, fill, ledger, ledgerForEachTest, load, upTo } from '../setup.ts';

ledgerForEachTest();

async function numbers(scan: AsyncIterable<{ row: RowRecord }>): Promise<number[]> {
  const found: number[] = [];
  for await (const { row } of scan) found.push(row.row);
  return found;
}

describe('rows', () => {
  it('come back as they were given', async () => {
    await load(1);
    const { row, charges } = await standing(1);
    expect(charges).toEqual([]);
    const given = { ...aRow(1), kind: 'tts', state: 'waiting', outcome: null, take: 1, extraFiles: [] };
    expect(row).toMatchObject(given);
    expect(await ledger.readRow('b', 2)).toBeUndefined();
    expect([await ledger.findRowById('b', 'r1'), await ledger.findRowById('b', 'r2')]).toEqual([1, undefined]);
  });

  it('end once, and only at the take that the caller knows', async () => {
    await load(1);
    await ledger.giveUp(aKey(1, 1, 2), FAILED);
    expect((await rowOf(1)).outcome).toBeNull();
    await accept(1);
    await ledger.changeRunning(aKey(1), { state: 'fetching' });
    const ending = { outcome: 'succeeded', file: FILE, extraFiles: [FILE], text: 'hello' } as const;
    for (const late of [ending, FAILED, WAITING]) await ledger.changeRunning(aKey(1), late);
    expect(await rowOf(1)).toMatchObject({ state: 'fetching', ...ending, endedAt: expect.any(Number) });
  });

  it('list charges in the order of the chain', async () => {
    await load([aDub(1)]);
    await accept(1);
    await finish(1, {}, WAITING);
    await send(aKey(1, 1, 1, 'lip-sync'));
    expect((await chargesOf(1)).map(({ step }) => step)).toEqual(['speech', 'lip-sync']);
  });
});

it('cancelRest ends what was never sent or refused, and leaves what is on the wire or runs', async () => {
  await load(6);
  for (const row of [2, 3, 5]) await send(row);
  await answer(3);
  await defer(4);
  // A chain whose first job is finished and whose second was not sent yet.
  await answer(5);
  await finish(5, { file: FILE }, WAITING);
  await ledger.giveUp(aKey(6), FAILED);
  await ledger.setControl('b', 'stopping');
  expect([await ledger.cancelRest('b'), await ledger.cancelRest('b')]).toEqual([3, 0]);
  expect(await outcomes()).toEqual(['cancelled', 'submitting', 'processing', 'cancelled', 'cancelled', 'failed']);
});

it('counts add up', async () => {
  await load(4);
  await send(1);
  await ledger.giveUp(aKey(2), { outcome: 'unknown' });
  await ledger.giveUp(aKey(3), { outcome: 'succeeded' });
  expect(await ledger.counts('b')).toEqual({
    total: 4,
    notChosen: 0,
    notCached: 0,
    states: { blocked: 0, waiting: 1, submitting: 1, processing: 0, fetching: 0, verifying: 0 },
    outcomes: { succeeded: 1, cached: 0, failed: 0, unfit: 0, skipped: 0, unknown: 1, overdue: 0, cancelled: 0 },
  });
});

describe('scanRows', () => {
  it('walks all rows in manifest order, over many pages, with their charges', async () => {
    await load(1203);
    await send(700);
    const seen: string[] = [];
    for await (const { row, charges } of ledger.scanRows('b')) seen.push(`${row.row}:${charges.length}`);
    expect(seen).toEqual(upTo(1203).map((row) => `${row}:${row === 700 ? 1 : 0}`));
  });

  it('reads many rows at once as each by itself, and nothing of other rows and batches', async () => {
    await fill(ledger, 60, 'other');
    await load(60);
    for (const row of [1, 7, 30, 60]) await accept(row);
    for (const row of [8, 9]) await ledger.giveUp(aKey(row), FAILED);
    for (const options of [{}, { isOpen: true }, { outcome: 'failed' }] as const) {
      const scanned = [];
      for await (const standing of ledger.scanRows('b', options)) scanned.push(standing);
      expect(scanned).toEqual(await Promise.all(scanned.map(({ row }) => ledger.readRow('b', row.row))));
      expect(scanned).toHaveLength('outcome' in options ? 2 : 'isOpen' in options ? 58 : 60);
    }
  });

  it('filters by outcome and by the time of the end', async () => {
    await load(6);
    for (const row of [5, 2, 4]) await ledger.giveUp(aKey(row), { outcome: row === 4 ? 'unknown' : 'failed' });
    expect(await numbers(ledger.scanRows('b', { outcome: 'failed' }))).toEqual([2, 5]);
    expect((await numbers(ledger.scanRows('b', { endedSince: 0 }))).sort()).toEqual([2, 4, 5]);
    expect(await numbers(ledger.scanRows('b', { endedSince: 0, outcome: 'unknown' }))).toEqual([4]);
    const endedAt = (await rowOf(5)).endedAt ?? 0;
    expect(await numbers(ledger.scanRows('b', { endedSince: endedAt }))).toContain(5);
    expect(await numbers(ledger.scanRows('b', { endedSince: Date.now() + 60_000 }))).toEqual([]);
  });

  it('reads what ended in the order of its end, each row once, also where many ended at one time', async () => {
    let time = 1;
    const timed = await openTestLedger(join(freshFolder(), 'ledger.db'), { clock: { now: () => time } });
    await fill(timed, 1300);
    const [odd, even] = [1, 0].map((rest) => upTo(1200).filter((row) => row % 2 === rest)) as [number[], number[]];
    for (const rows of [odd, even]) {
      time += 10;
      await Promise.all(rows.map((row) => timed.giveUp(aKey(row), FAILED)));
    }
    expect(await numbers(timed.scanRows('b', { endedSince: 0 }))).toEqual([...odd, ...even]);
    expect(await numbers(timed.scanRows('b', { endedSince: time }))).toEqual(even);
    await timed.close();
  });
});

it('the settings of a batch have a price for operations that came after it was made, and keep those that it was made with', () => {
  const price = { unit: 'job', credits: 30, estimate: false };
  const read = toSettings(JSON.stringify({ prices: { 'lip-sync-job': price } }));
  expect(read.prices).toEqual({ ...BUILT_IN_PRICES, 'lip-sync-job': price });
});

describe('the last row of an id', () => {
  const { apiUrl, account } = aBatch();
  const OPEN = { outcome: null, key: null, isUncached: false, tts: 'job' };

  it('is of the batch that had it last, as it is now; ids that were never there are left out', async () => {
    await load(3, { name: 'first' });
    await load(2, { name: 'second' });
    expect(await ledger.lastRows({ apiUrl, account }, ['r1', 'r3', 'r9'])).toEqual([
      { id: 'r1', batch: 'second', row: 1, spec: aRow(1).spec, ...OPEN },
      { id: 'r3', batch: 'first', row: 3, spec: aRow(3).spec, ...OPEN },
    ]);
  });

  it.each([
    ['off', true],
    ['on', false],
  ] as const)('under --cache %s has a result that no other row may use: %s', async (cache, isUncached) => {
    await load(2, { settings: { cache } });
    await complete(1, { file: FILE });
    await ledger.giveUp(aKey(2), { outcome: 'cancelled' });
    const found = await ledger.lastRows({ apiUrl, account }, ['r1', 'r2']);
    expect(found.map((one) => one.isUncached)).toEqual([isUncached, false]);
  });

  it('is of this account, was meant to be sent, and is loaded whole', async () => {
    await load(3, { name: 'first' });
    await load(1, { name: 'other', account: 'u2' });
    const some = [aRow(1), { ...aRow(2), isNotChosen: true }];
    await load(some, { name: 'limited', subset: { type: 'limit', rows: 1 } });
    const loading = await ledger.createBatch(aBatch('loading'));
    await ledger.addRows(loading, [aRow(1), aRow(2)]);
    const found = await ledger.lastRows({ apiUrl, account }, ['r1', 'r2']);
    expect(found.map(({ batch }) => batch)).toEqual(['limited', 'first']);
  });
});
