import { describe, expect, it } from '@jest/globals';
import { threshold } from '../../../starters/commands/flag-values.ts';

describe('--verify', () => {
  it.each(['true', 'false', '0.1'])('takes %s as a cell of its column', (value) => {
    expect(threshold(value)).toBe(value);
  });

  it.each(['lines.csv', '0.9'])('says where the manifest goes if it gets %s', (value) => {
    expect(() => threshold(value)).toThrow(/0\.02 to 0\.6\. The manifest goes before --verify/);
  });
});
