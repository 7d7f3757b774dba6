import { describe, expect, it } from '@jest/globals';
import { defaultSubmits } from '../../../policy/lanes/share.ts';

describe('the requests in flight that nobody has set', () => {
  it.each([
    [0, 2],
    [1, 2],
    [8, 2],
    [9, 3],
    [12, 3],
    [29, 8],
    [100, 8],
    [1_000_000, 8],
  ])('of a batch of %d are %d', (requests, submits) => {
    expect(defaultSubmits(requests)).toBe(submits);
  });
});
