import { describe, expect, it } from '@jest/globals';
import { priceOfSeconds, priceOfText } from '../../simulator/price-request.ts';

describe('priceOfText', () => {
  it.each([
    ['a', 1],
    ['ab', 1],
    ['abc', 2],
    ['你好', 2],
    ['你好 ab', 4],
    ['カナ한글', 4],
    ['😀😀', 1],
  ])('charges %p with %d', (text, credits) => {
    expect(priceOfText('speech-job', text)).toBe(credits);
  });
});

describe('priceOfSeconds', () => {
  it.each([
    [0.5, 1],
    [12.4, 13],
    [13, 13],
    [13.000_000_001, 13],
    [13.01, 14],
  ])('charges %d seconds with %d', (seconds, credits) => {
    expect(priceOfSeconds('transcription', seconds)).toBe(credits);
  });
});
