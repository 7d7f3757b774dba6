import { describe, expect, it } from '@jest/globals';
import { formatHalt, parseHalt } from '../../contract/halt.ts';

describe('a halt policy', () => {
  it.each([
    ['never', { when: 'never' }],
    ['alike', { when: 'alike' }],
    ['soon,fail=20', { when: 'soon', fail: 20, unit: 'rows' }],
    ['soon,fail=5%', { when: 'soon', fail: 5, unit: 'percent' }],
    ['soon,fail=0.5%', { when: 'soon', fail: 0.5, unit: 'percent' }],
    ['soon,fail=100%', { when: 'soon', fail: 100, unit: 'percent' }],
    ['now,fail=1', { when: 'now', fail: 1, unit: 'rows' }],
  ])('%s is read, and written as it was', (text, policy) => {
    expect(parseHalt(text)).toEqual(policy);
    expect(formatHalt(parseHalt(text) ?? { when: 'never' })).toBe(text);
  });

  it.each([
    '',
    'soon',
    'later,fail=1',
    'soon,fail=0',
    'soon,fail=0%',
    'soon,fail=101%',
    'now,fail=1.5',
    'now,fail=-1',
    ' never',
    'never,fail=1',
    'soon,fail=5%x',
  ])('%j is none', (text) => expect(parseHalt(text)).toBeUndefined());
});
