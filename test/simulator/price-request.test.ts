import { describe, expect, it } from '@jest/globals';
import { OPERATIONS } from '../../contract/row-kinds.ts';
import { priceOf } from '../../simulator/price-request.ts';

describe('priceOf', () => {
  it.each([
    ['a', 1],
    ['ab', 1],
    ['abc', 2],
    ['你好', 2],
    ['你好 ab', 4],
    ['カナ한글', 4],
    ['😀😀', 1],
  ])('charges %p with %d', (text, credits) => expect(priceOf('speech-job', { text, seconds: 7 })).toBe(credits));

  it.each([
    [0.5, 1],
    [12.4, 13],
    [13, 13],
    [13.000_000_001, 13],
    [13.01, 14],
  ])('charges %d seconds with %d', (seconds, credits) => {
    expect(priceOf('transcription', { text: '', seconds })).toBe(credits);
  });

  it.each(OPERATIONS)('has a price for %s, whatever its unit', (operation) => {
    expect(priceOf(operation, { text: 'some words', seconds: 2 })).toBeGreaterThan(0);
  });
});
