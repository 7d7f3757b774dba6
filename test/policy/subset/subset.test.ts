import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import type { Subset } from '../../../contract/subset.ts';
import { SubsetDraw, type Traits } from '../../../policy/subset/subset.ts';

const rankOf = (seed: number, id: string): string => createHash('sha256').update(`${seed}\n${id}`).digest('hex');

interface Row {
  readonly id: string;
  readonly traits: Traits;
}

/** The ids that a subset has of these, in the order in which they were handed on; by `isChosen` they must be the same. */
function chooseOf(subset: Subset | null, rows: readonly Row[]): readonly string[] {
  const taken: string[] = [];
  const draw = new SubsetDraw<string>(subset, rankOf, (id) => taken.push(id));
  for (const [at, { id, traits }] of rows.entries()) draw.offer({ row: at + 1, id }, traits, id);
  const isChosen = draw.finish();
  expect(rows.flatMap(({ id }, at) => (isChosen({ row: at + 1, id }) ? [id] : []))).toEqual(taken);
  return taken;
}

/** The same for rows that differ in nothing but their ids. */
function choose(subset: Subset | null, ids: readonly string[]): readonly string[] {
  const rows = ids.map((id) => ({ id, traits: ['tts', 'anna', null] }));
  return chooseOf(subset, rows);
}

const sample = (rows: number, seed = 1): Subset => ({ type: 'sample', rows, seed });
const ids = fc.uniqueArray(fc.string(), { maxLength: 60 });
const rowsOfAll = fc.uniqueArray(
  fc.record({
    id: fc.string(),
    traits: fc.tuple(
      fc.constantFrom('tts', 'stt', 'dub'),
      fc.constantFrom(null, 'anna', 'ben', 'cleo', 'dan'),
      fc.constantFrom(null, 'one', 'two'),
    ),
  }),
  { selector: ({ id }) => id, maxLength: 60 },
);
const size = fc.integer({ min: 1, max: 70 });
const seed = fc.nat();

describe('a subset of rows', () => {
  it('is all rows, or the first ones', () => {
    expect(choose(null, ['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
    expect(choose({ type: 'limit', rows: 2 }, ['a', 'b', 'c'])).toEqual(['a', 'b']);
    expect(choose({ type: 'limit', rows: 9 }, ['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
  });

  it('by seed is that of the lowest ranks where all rows are alike, in the order of the manifest', () => {
    fc.assert(
      fc.property(ids, size, seed, (all, rows, of) => {
        const ranks = all.map((id) => rankOf(of, id)).toSorted();
        const lowest = new Set(ranks.slice(0, rows));
        expect(choose(sample(rows, of), all)).toEqual(all.filter((id) => lowest.has(rankOf(of, id))));
      }),
    );
  });

  it('by seed is the same of so many rows that most are dropped on the way', () => {
    const traitsOf = (n: number): Traits => ['tts', `v${n % 7 === 0 ? n % 9 : 0}`];
    const all = Array.from({ length: 9_000 }, (_, n) => ({ id: `r${n}`, traits: traitsOf(n) }));
    const drawn = chooseOf(sample(60), all);
    expect(chooseOf(sample(60), all.toReversed()).toReversed()).toEqual(drawn);
    const few = all.filter(({ id }) => drawn.includes(id));
    expect(chooseOf(sample(60), few)).toEqual(drawn);
    expect(new Set(drawn.map((id) => all[Number(id.slice(1))]?.traits[1])).size).toBe(9);
  });

  it('by seed does not depend on the order, and a larger one has all of a smaller one', () => {
    fc.assert(
      fc.property(rowsOfAll, size, size, seed, (all, one, other, of) => {
        const [rows, more] = [Math.min(one, other), Math.max(one, other)];
        const few = chooseOf(sample(rows, of), all);
        expect(chooseOf(sample(rows, of), all.toReversed()).toReversed()).toEqual(few);
        expect(chooseOf(sample(more, of), all)).toEqual(expect.arrayContaining([...few]));
      }),
    );
  });

  it('by seed is spread: first over the kinds, then over the voices, then over the engines', () => {
    fc.assert(
      fc.property(rowsOfAll, size, seed, (all, rows, of) => {
        const traitsOf = new Map(all.map(({ id, traits }) => [id, traits]));
        const drawn = chooseOf(sample(rows, of), all).map((id) => traitsOf.get(id));
        const differing = (some: readonly (Traits | undefined)[], sort: number): number =>
          new Set(some.flatMap((traits) => traits?.[sort] ?? [])).size;
        const inAll = [0, 1, 2].map((sort) => differing([...traitsOf.values()], sort));
        const [kinds = 0, voices = 0, engines = 0] = inAll;
        expect(drawn).toHaveLength(Math.min(rows, all.length));
        expect(differing(drawn, 0)).toBe(Math.min(rows, kinds));
        if (rows >= kinds + voices) expect(differing(drawn, 1)).toBe(voices);
        if (rows >= kinds + voices + engines) expect(differing(drawn, 2)).toBe(engines);
        // Beyond that, it takes as many of each: none has two more than another that has some left.
        const taken = new Map<string, number>();
        for (const traits of drawn) taken.set(String(traits), (taken.get(String(traits)) ?? 0) + 1);
        const most = Math.max(0, ...taken.values());
        for (const traits of traitsOf.values()) {
          const there = [...traitsOf.values()].filter((one) => String(one) === String(traits)).length;
          expect(taken.get(String(traits)) ?? 0).toBeGreaterThanOrEqual(Math.min(there, most - 1));
        }
      }),
    );
  });

  it('by seed has each of five voices in five rows, even if one has nearly all rows', () => {
    const voices = ['anna', 'ben', 'cleo', 'dan'];
    const few = voices.map((voice) => ({ id: voice, traits: ['tts', voice, null] }));
    const many = Array.from({ length: 1_000 }, (_, n) => ({ id: `e${n}`, traits: ['tts', 'emil', null] }));
    expect(chooseOf(sample(5), [...many, ...few])).toEqual([expect.stringMatching(/^e\d+$/), ...voices]);
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
