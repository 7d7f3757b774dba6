import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import type { Subset } from '../../contract/subset.ts';
import { SubsetDraw } from '../../policy/subset.ts';

const rankOf = (seed: number, id: string): string => createHash('sha256').update(`${seed}\n${id}`).digest('hex');

/** The ids that a subset has of these, in the order in which they were handed on; by `isChosen` they must be the same. */
function choose(subset: Subset | null, ids: readonly string[]): readonly string[] {
  const taken: string[] = [];
  const draw = new SubsetDraw<string>(subset, rankOf, (id) => taken.push(id));
  for (const [at, id] of ids.entries()) draw.offer({ row: at + 1, id }, id);
  const isChosen = draw.finish();
  expect(ids.filter((id, at) => isChosen({ row: at + 1, id }))).toEqual(taken);
  return taken;
}

const sample = (rows: number, seed = 1): Subset => ({ type: 'sample', rows, seed });
const ids = fc.uniqueArray(fc.string(), { maxLength: 60 });
const size = fc.integer({ min: 1, max: 70 });
const seed = fc.nat();

describe('a subset of rows', () => {
  it('is all rows, or the first ones', () => {
    expect(choose(null, ['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
    expect(choose({ type: 'limit', rows: 2 }, ['a', 'b', 'c'])).toEqual(['a', 'b']);
    expect(choose({ type: 'limit', rows: 9 }, ['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
  });

  it('by seed is that of the lowest ranks, in the order of the manifest', () => {
    fc.assert(
      fc.property(ids, size, seed, (all, rows, of) => {
        const ranks = all.map((id) => rankOf(of, id)).toSorted();
        const lowest = new Set(ranks.slice(0, rows));
        expect(choose(sample(rows, of), all)).toEqual(all.filter((id) => lowest.has(rankOf(of, id))));
      }),
    );
  });

  it('by seed does not depend on the order, and a larger one has all of a smaller one', () => {
    fc.assert(
      fc.property(ids, size, size, seed, (all, one, other, of) => {
        const [rows, more] = [Math.min(one, other), Math.max(one, other)];
        const few = choose(sample(rows, of), all);
        expect(choose(sample(rows, of), all.toReversed()).toReversed()).toEqual(few);
        expect(choose(sample(more, of), all)).toEqual(expect.arrayContaining([...few]));
      }),
    );
  });

  it('differs from seed to seed, and has every row as often as any other', () => {
    const all = Array.from({ length: 40 }, (_, n) => `r${n}`);
    const drawn = Array.from({ length: 400 }, (_, n) => choose(sample(10, n), all));
    const counts = all.map((id) => drawn.filter((some) => some.includes(id)).length);
    // 100 on average, with a deviation of 9: five of them to either side.
    expect(Math.min(...counts)).toBeGreaterThan(55);
    expect(Math.max(...counts)).toBeLessThan(145);
  });
});
