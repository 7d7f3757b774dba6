import { expect, it } from '@jest/globals';
import { findRows } from '../../../batches/rows/find-rows.ts';
import { aRow, ledger, ledgerForEachTest, load, partsOf } from '../../ledger/setup.ts';

/** Row 1 is spoken in parts, which are rows 3 and 4 of the ledger; the id of row 2 is a number. */
ledgerForEachTest(() =>
  load([
    { ...aRow(1), parts: partsOf(3, 'One.', 'Two.') },
    { ...aRow(2), id: '7' },
  ]),
);

it.each([
  ['the id of a row', 'r1', [1]],
  ['an id that is a number', '7', [2]],
  ['the number of a row', '2,#1', [1, 2]],
  ['the id of a part', 'r1#2', [4]],
  ['a part whose id would be read differently, as a command writes it', '#4', [4]],
])('a row is found by %s', async (_, text, rows) => {
  expect(await findRows(ledger, { name: 'b', rows: 2 }, [text])).toMatchObject({ type: 'found', rows });
});

it.each(['3', '4', '5', '0', '#5', 'r1#3'])('no row is found by %s', async (word) => {
  expect(await findRows(ledger, { name: 'b', rows: 2 }, [word])).toEqual({ type: 'missing', words: [word] });
});
