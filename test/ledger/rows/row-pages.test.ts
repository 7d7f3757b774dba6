import { describe, expect, it, jest } from '@jest/globals';
import { join } from 'node:path';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { rowPage, SEARCH_MS, WINDOW, type RowChoice, type RowCursor } from '../../../ledger/rows/row-pages.ts';
import { freshFolder } from '../../support/fresh-folder.ts';
import { accept, fail, finish, lose, reject, succeed } from '../actions.ts';
import { inside } from '../inside.ts';
import { aBatch, aRow, fill, ledger, ledgerForEachTest, load, partsOf } from '../setup.ts';

ledgerForEachTest();

/** The numbers of all rows that a filter finds, page by page. */
async function found(filter: RowChoice, most = 2): Promise<number[]> {
  const rows: number[] = [];
  for (let after: RowCursor | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page = await ledger.rowPage('b', filter, after, most);
    rows.push(...page.rows.map(({ row }) => row));
    after = page.next;
  }
  return rows;
}

describe('pages of rows', () => {
  it('are in the order of the manifest, or of the ends, or of the ids', async () => {
    await load(5);
    for (const row of [4, 2, 3]) await succeed(row);
    expect(await found({})).toEqual([1, 2, 3, 4, 5]);
    const ended = await found({ isNewestFirst: true });
    expect(ended.toSorted()).toEqual([2, 3, 4]);
    const { endedAt } = (await ledger.rowPage('b', { isNewestFirst: true })).rows[0] ?? {};
    expect(endedAt).toBe(Math.max(...(await ledger.rowPage('b', {})).rows.map((row) => row.endedAt ?? 0)));
    expect(await found({ idPrefix: 'r' })).toEqual([1, 2, 3, 4, 5]);
    expect(await found({ idPrefix: 'r4' })).toEqual([4]);
    expect(await found({ idPrefix: 'R' })).toEqual([]);
  });

  it('have the rows of an outcome, of a reason and of a voice', async () => {
    await load([...[1, 2, 3, 4].map((row) => aRow(row)), { ...aRow(5), spec: { ...aRow(5).spec, voice: 'anna' } }]);
    await succeed(1);
    await fail(2);
    await reject(3, { class: 'BadRequest', message: 'No.', cause: '400' });
    await lose(4);
    expect(await found({ outcome: 'failed' })).toEqual([2, 3]);
    expect(await found({ outcome: 'open' })).toEqual([5]);
    expect(await found({ outcome: 'failed', class: 'BadRequest', cause: '400' })).toEqual([3]);
    expect(await found({ class: 'JobFailed' })).toEqual([2]);
    expect(await found({ voice: 'anna' })).toEqual([5]);
    expect(await ledger.statusCounts('b')).toContainEqual({
      ...{ standing: 'failed', class: 'BadRequest', cause: '400', rows: 1 },
    });
  });

  it('have the rows with a text in a cell or in the transcript, as it was typed', async () => {
    const texts = ['Guten Tag', 'say "hi"\nnow', '100 % sure', '100 x sure', 'ÜBER'];
    await load(texts.map((text, at) => ({ ...aRow(at + 1), input: [`r${at + 1}`, text, 'v'] })));
    await accept(1);
    await finish(1, {}, { outcome: 'succeeded', text: 'heard Words' });
    for (const [text, rows] of [
      ['guten', [1]],
      ['"hi"\nnow', [2]],
      ['100 %', [3]],
      ['heard words', [1]],
      ['ÜBER', [5]],
      ['a_t', []],
      ['nowhere', []],
    ] as const)
      expect([text, await found({ text })]).toEqual([text, rows]);
  });

  it('have the rows with a message of this pattern', async () => {
    await load(3);
    await reject(1, { class: 'BadRequest', message: 'Row 1 is 100% wrong.' });
    await reject(2, { class: 'BadRequest', message: 'Row 2 is 100% wrong.' });
    await fail(3);
    expect(await found({ message: 'Row % is 100!% wrong.' })).toEqual([1, 2]);
    expect(await found({ message: 'Row % is 1!%' })).toEqual([]);
  });

  it('have no parts of rows', async () => {
    await load([{ ...aRow(1), parts: partsOf(2, 'one', 'two') }]);
    expect(await found({})).toEqual([1]);
  });
});

it.each([{ idPrefix: 'r' }, {}])('a search among many rows goes on for a limited time: %j', async (ids) => {
  await load(WINDOW + 5);
  await inside(ledger, async (db) => {
    let at = 0;
    const now = jest.spyOn(performance, 'now').mockImplementation(() => (at += 2 * SEARCH_MS));
    try {
      // The last one in the order of the rows, and of the ids.
      const filter = { ...ids, text: ids.idPrefix === undefined ? `Row ${String(WINDOW + 5)}` : 'Row 9999' };
      const { rows, next } = await rowPage(db, 'b', filter);
      expect([rows, next]).toEqual([[], expect.anything()]);
      expect(await rowPage(db, 'b', filter, next)).toMatchObject({ rows: [{}], next: undefined });
    } finally {
      now.mockRestore();
    }
  });
});

it('ends are counted by time and outcome, without parts', async () => {
  await load(4);
  expect(await ledger.endRange('b')).toBeNull();
  await succeed(1);
  await succeed(2);
  await fail(3);
  const range = await ledger.endRange('b');
  if (range === null) throw new Error('no row has ended');
  const counts = await ledger.countEnds('b', range, 60_000);
  const sum = (outcome: string): number =>
    counts.filter((one) => one.outcome === outcome).reduce((rows, one) => rows + one.rows, 0);
  expect([sum('succeeded'), sum('failed'), sum('unknown')]).toEqual([2, 1, 0]);
  for (const { at } of counts) expect(at % 60_000).toBe(0);
});

it('a ledger in a file that is opened for reading refuses writes', async () => {
  const path = join(freshFolder(), 'ledger.db');
  const writer = await openLedger(path);
  await fill(writer, 2);
  const reader = await openLedger(path, { mustExist: true, isForReading: true });
  await expect(reader.createBatch(aBatch('c'))).rejects.toThrow(/readonly|read-only/i);
  await writer.createBatch(aBatch('d'));
  expect((await reader.listBatches()).map(({ name }) => name)).toEqual(['b', 'd']);
  await reader.close();
  await writer.close();
});
