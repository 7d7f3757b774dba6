import { expect, it } from '@jest/globals';
import { rowArg, rowsArg } from '../../../client/status/continue-command.ts';
import { shellWord } from '../../../contract/shell-word.ts';

it.each([
  ['lines', 'lines'],
  ['été no. 7', 'été no. 7'],
  // Looked up as an id first: by its number, the row would be taken for the one whose id that number is.
  ['#7', '#7'],
  ['#', '#'],
  ['ch1#7', 'ch1#7'],
  ['a,b', '#3'],
  ['--force', '#3'],
  [' a', '#3'],
  ['a\u0007', '#3'],
  ['', '#3'],
])('a command names the row with the id %j by %j', (id, word) => expect(rowArg({ row: 3, id })).toBe(word));

it('names several rows in one word for a shell', () => {
  const rows = [
    { row: 1, id: '#2' },
    { row: 2, id: '#1' },
    { row: 3, id: 'a,b' },
  ];
  expect(shellWord(rowsArg(rows))).toBe("'#2,#1,#3'");
});
