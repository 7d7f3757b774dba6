import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  compareItems,
  isDifferent,
  persistentDifferences,
  type Item,
} from '../../../policy/compare/item-differences.ts';

const items = (all: Readonly<Record<string, Item>>): ReadonlyMap<string, Item> => new Map(Object.entries(all));

describe('compareItems', () => {
  it('names items of one side, fields that differ, and once each field that only one side tells', () => {
    const found = compareItems([
      items({ a: { name: 'A', provider: 'x' }, b: { name: 'B', provider: 'x' }, c: { name: 'C' } }),
      items({ a: { name: 'A', public: true }, b: { name: 'b', public: true }, d: { name: 'D' } }),
    ]);
    expect(found).toEqual({
      only: [['c'], ['d']],
      fieldsOnly: [['provider'], ['public']],
      differences: [{ id: 'b', field: 'name', values: ['B', 'b'] }],
    });
    expect(isDifferent(found)).toBe(true);
    expect(isDifferent({ ...found, only: [[], []], differences: [] })).toBe(false);
  });

  it('finds nothing in one set, and the same in either order', () => {
    const set = fc
      .dictionary(
        fc.constantFrom('a', 'b', 'c'),
        fc.dictionary(fc.constantFrom('f', 'g'), fc.integer({ max: 2 }), { noNullPrototype: true }),
        { noNullPrototype: true },
      )
      .map(items);
    fc.assert(
      fc.property(set, set, (one, other) => {
        expect(isDifferent(compareItems([one, one]))).toBe(false);
        const [there, back] = [compareItems([one, other]), compareItems([other, one])];
        expect(back.only).toEqual(there.only.toReversed());
        expect(back.fieldsOnly).toEqual(there.fieldsOnly.toReversed());
        expect(back.differences.length).toBe(there.differences.length);
      }),
    );
  });
});

it('persistentDifferences keeps what both looks found, with the values of the second', () => {
  const first = compareItems([
    items({ a: { status: 'queued', x: 1 }, gone: {} }),
    items({ a: { status: 'processing', x: 2 }, late: {} }),
  ]);
  const second = compareItems([
    items({ a: { status: 'completed', x: 3 }, late: {} }),
    items({ a: { status: 'completed', x: 4 }, late: {}, new: {} }),
  ]);
  expect(persistentDifferences(first, second)).toEqual({
    only: [[], []],
    fieldsOnly: [[], []],
    differences: [{ id: 'a', field: 'x', values: [3, 4] }],
  });
});
