import { describe, expect, it } from '@jest/globals';
import { size } from '../../../starters/terminal/words.ts';

describe('the size of a file or a disk', () => {
  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1_500, '1.5 KB'],
    [2_000_000_000, '2 GB'],
    [5e15, '5,000 TB'],
  ])('is %d bytes: %s', (bytes, words) => {
    expect(size(bytes)).toBe(words);
  });
});
