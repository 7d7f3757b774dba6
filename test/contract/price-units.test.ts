import { describe, expect, it } from '@jest/globals';
import { type BilledWork, costOf, PRICE_UNIT_NAMES, PRICE_UNITS } from '../../contract/price-units.ts';
import { readPage } from '../docs/pages.ts';

const WORK: BilledWork = { text: 'Hello', duration: 2.5, number: 0.7 };
const NOTHING: BilledWork = { text: undefined, duration: undefined, number: undefined };

describe('the units of prices', () => {
  it('multiply the price of one', () => {
    const costs = PRICE_UNIT_NAMES.map((unit) => [unit, costOf({ unit, credits: 3 }, WORK)]);
    expect(costs).toEqual([
      ['character', 15],
      ['second', 9],
      ['number', 2.1],
      ['job', 3],
    ]);
  });

  it.each(PRICE_UNIT_NAMES)('%s says what it must know of the work, and needs no more', (unit) => {
    const { reads } = PRICE_UNITS[unit];
    const known = reads === null ? NOTHING : { ...NOTHING, [reads]: WORK[reads] };
    expect(costOf({ unit, credits: 3 }, known)).toBe(costOf({ unit, credits: 3 }, WORK));
    if (reads !== null) expect(costOf({ unit, credits: 3 }, { ...WORK, [reads]: undefined })).toBeNull();
  });

  it.each(PRICE_UNIT_NAMES)('%s is explained where prices are', (unit) => {
    expect(readPage('docs/guide/manifest.md')).toContain(`\`${unit}\``);
  });
});
