import { describe, expect, it } from '@jest/globals';
import { commandLine, form, list, number, plural, size, tookWords } from '../../../starters/terminal/words.ts';

it('a time that a batch took says which part of the work it was', () => {
  expect(tookWords({ from: 0, first: 0, isReopened: false }, 12_000)).toBe('0:12 after the first request');
  const again = '0:03 after it was opened again, 1:05:00 after the first request';
  expect(tookWords({ from: 3_897_000, first: 0, isReopened: true }, 3_900_000)).toBe(again);
});

describe('words for amounts', () => {
  it.each([
    [0, '0 rows', 'they are'],
    [1, '1 row', 'it is'],
    [1.04, '1 row', 'it is'],
    [2000.25, '2,000.3 rows', 'they are'],
  ])('has the word for %d things', (count, words, are) => {
    expect(plural(count, 'row')).toBe(words);
    expect(form(count, 'it is', 'they are')).toBe(are);
  });

  it('takes the word for more than one where it is no plain s', () => {
    expect(plural(3, 'copy', 'copies')).toBe('3 copies');
  });

  it('shows a number with at most one decimal', () => {
    expect([number(0.05), number(-1.25), number(1_234_567)]).toStrictEqual(['0.1', '-1.2', '1,234,567']);
  });

  it('joins what is listed', () => {
    expect([list([]), list(['a']), list(['a', 'b']), list(['a', 'b', 'c'])]).toStrictEqual([
      '',
      'a',
      'a and b',
      'a, b and c',
    ]);
  });
});

it('a next command is quoted for a shell', () => {
  expect(commandLine({ command: 'run', args: ['-', '--name', "it's"], stdin: 'FILE' })).toBe(
    String.raw`voxbatch run - --name 'it'\''s' < FILE`,
  );
});

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_500, '1.5 KB'],
  [2_000_000_000, '2 GB'],
  [5e15, '5,000 TB'],
])('the size of a file or a disk is %d bytes: %s', (bytes, words) => expect(size(bytes)).toBe(words));
