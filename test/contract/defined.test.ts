import { describe, expect, it } from '@jest/globals';
import { defined } from '../../contract/defined.ts';

describe('defined', () => {
  it('leaves out what is undefined, and nothing else', () => {
    const found: string | undefined = undefined;
    const members: { readonly code?: string; readonly words: string | null } = {
      ...defined({ code: found, words: null }),
    };
    expect(Object.entries(members)).toEqual([['words', null]]);
    expect(defined({ none: 0, empty: '', no: false })).toEqual({ none: 0, empty: '', no: false });
  });

  it('keeps the order of members', () => {
    expect(Object.keys(defined({ b: 1, a: undefined, c: 2 }))).toEqual(['b', 'c']);
  });
});
