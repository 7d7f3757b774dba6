import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { learnPages, NEW_LIST, pagesFor, restOnce, WORTH_A_PAGE } from '../../../policy/polling/page-plan.ts';

describe('pages that are worth a read', () => {
  it('are those where enough of the jobs stand', () => {
    const places = [0, 10, 49, 50, 60, 120, 130, 149, 149];
    expect(pagesFor(NEW_LIST, places, 50)).toEqual([1, 3]);
    // Others made sixty jobs since.
    expect(pagesFor({ ...NEW_LIST, shift: 60 }, places, 50)).toEqual([3]);
  });

  it('are never so many that polling each job would take fewer', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3_000)), fc.nat(500), fc.integer({ min: 1, max: 100 }), (places, shift, size) => {
        const pages = pagesFor({ ...NEW_LIST, shift }, places, size);
        expect(pages.length * WORTH_A_PAGE).toBeLessThanOrEqual(places.length);
        expect(new Set(pages).size).toBe(pages.length);
        for (const page of pages) expect(page).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});

describe('what pages showed', () => {
  it('teaches how many jobs of others stand before one’s own', () => {
    let sense = NEW_LIST;
    for (let gathering = 0; gathering < 10; gathering++) sense = learnPages(sense, [40, 41, 39], 1);
    expect(sense.shift).toBeCloseTo(40, 0);
    expect(sense.rest).toBe(0);
  });

  it('leads to a rest if it was too little, longer each time, until a page was worth it', () => {
    let sense = learnPages(NEW_LIST, [], 1);
    expect(sense).toMatchObject({ rest: 4, shift: 0 });
    for (let gathering = 0; gathering < 4; gathering++) sense = restOnce(sense);
    expect(sense.rest).toBe(0);
    sense = learnPages(sense, [1, 1], 1);
    expect(sense.rest).toBe(8);
    for (let trial = 0; trial < 20; trial++) sense = learnPages(sense, [], 2);
    expect(sense.rest).toBe(256);
    expect(learnPages(sense, [0, 0, 0], 1)).toMatchObject({ rest: 0, lastRest: 0 });
  });

  it('costs at most a hundredth of the polls where the list is of no help', () => {
    let [sense, pages] = [NEW_LIST, 0];
    for (let gathering = 0; gathering < 5_000; gathering++) {
      if (sense.rest > 0) sense = restOnce(sense);
      else {
        pages += 1;
        sense = learnPages(sense, [], 1);
      }
    }
    expect(pages).toBeLessThanOrEqual(0.01 * 5_000 * WORTH_A_PAGE);
  });
});
