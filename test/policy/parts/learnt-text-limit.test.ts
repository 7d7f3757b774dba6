import { describe, expect, it } from '@jest/globals';
import { textLimitIn } from '../../../policy/parts/learnt-text-limit.ts';

describe('the limit that a refusal names', () => {
  it.each([
    ['text must be at most 5000 characters', 6_000, 5_000],
    ['Text too long (max 2000)', 2_001, 2_000],
    ['The text exceeds the maximum length of 3,000 characters', 9_999, 3_000],
    ['String must contain at most 500 character(s)', 600, 500],
    ['Too big: expected string to have <=1500 characters', 1_600, 1_500],
    ['400 invalid_request: text length 5012 exceeds limit of 5.000 characters', 5_012, 5_000],
    ['The text must not be longer than 10000', 12_000, 10_000],
    ['The text has 6,012 characters and exceeds the limit of 5,000', 6_012, 5_000],
    ['Text over the 5000 character limit', 6_000, 5_000],
    ['maximum is 5000 but got 6000 characters', 6_000, 5_000],
  ])('%s', (message, length, limit) => expect(textLimitIn(message, length)).toBe(limit));

  it.each([
    ['Invalid request body', 6_000],
    ['The text is too long', 6_000],
    ['text must be at most 5000 bytes', 6_000],
    ['text must be at most 5000 characters', 4_000],
    ['voice v-123456789 was not found', 6_000_000_000],
    ['The upload is longer than 30 MB', 6_000],
    ['code 17: text too long', 6_000],
    ['code 1700: text too long', 6_000],
    ['Unsupported character at position 120 in text', 6_000],
    ['invalid character U+1F600', 6_000],
    ['voice does not speak these characters; error 4001', 6_000],
    ['Too long queue: 250 jobs', 6_000],
    ['The queue is too long: at most 250 jobs', 6_000],
  ])('is not in: %s', (message, length) => expect(textLimitIn(message, length)).toBeUndefined());
});
