import { describe, expect, it } from '@jest/globals';
import type { ActionRecord } from '../../../contract/actions.ts';
import { mergeActions } from '../../../policy/history/merge-actions.ts';
import { countRows, hasRow, mergeRanges, rangesOf } from '../../../policy/history/row-ranges.ts';

const LINE: ActionRecord = {
  number: 1,
  command: 'c1',
  at: 1,
  kind: 'redrive',
  batch: 'b',
  schedule: null,
  actor: { type: 'person', name: 'ann@home' },
  reason: null,
  details: {},
  rows: [[1, 3]],
};

describe('what one command did in several transactions', () => {
  it('is one action with all its rows, where the command began', () => {
    const tune: ActionRecord = { ...LINE, number: 2, kind: 'tune', rows: null };
    const rest: ActionRecord = {
      ...LINE,
      number: 3,
      at: 3,
      rows: [
        [4, 5],
        [9, 9],
      ],
    };
    expect(mergeActions([LINE, tune, rest])).toEqual([
      {
        ...LINE,
        rows: [
          [1, 5],
          [9, 9],
        ],
      },
      tune,
    ]);
  });

  it('is not mixed with that of another command, kind or batch, nor with what no command did', () => {
    const others: readonly ActionRecord[] = [
      { ...LINE, number: 2, command: 'c2' },
      { ...LINE, number: 3, kind: 'accept' },
      { ...LINE, number: 4, batch: 'c' },
      { ...LINE, number: 5, command: '' },
      { ...LINE, number: 6, command: '' },
    ];
    expect(mergeActions([LINE, ...others])).toEqual([LINE, ...others]);
  });

  it('adds up what was removed', () => {
    const pruned: ActionRecord = { ...LINE, kind: 'prune', details: { results: 2 } };
    expect(mergeActions([pruned, { ...pruned, number: 2 }])).toMatchObject([{ details: { results: 4 } }]);
  });
});

describe('ranges of rows', () => {
  it('are made of numbers in any order', () => {
    expect(rangesOf([5, 1, 2, 2, 3, 9])).toEqual([
      [1, 3],
      [5, 5],
      [9, 9],
    ]);
    expect(rangesOf([])).toEqual([]);
  });

  it('are joined where they touch or overlap, also if one lies within another', () => {
    expect(
      mergeRanges([
        [8, 9],
        [1, 6],
        [2, 3],
        [7, 7],
      ]),
    ).toEqual([[1, 9]]);
    expect(
      mergeRanges([
        [1, 2],
        [4, 5],
      ]),
    ).toEqual([
      [1, 2],
      [4, 5],
    ]);
  });

  it('count their rows, and know which they have', () => {
    const ranges = rangesOf([1, 2, 3, 7]);
    expect(countRows(ranges)).toBe(4);
    expect([1, 3, 4, 7, 8].map((row) => hasRow(ranges, row))).toEqual([true, true, false, true, false]);
  });
});
