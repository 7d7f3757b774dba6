import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { safeId, whyBadPath } from '../../inputs/output-name.ts';
import { findBadId } from '../../inputs/row-identity.ts';

describe('an id in a file name', () => {
  it.each(['a7', 'L0077', 'Zeile 3, März', '字'.repeat(66), '.hidden', "it's", '-x'])('stays as it is: %s', (id) => {
    expect(safeId(id)).toBe(id);
  });

  it.each([
    ['L/77', /^L_77-[0-9a-f]{8}$/],
    ['a:b?c*', /^a_b_c_-[0-9a-f]{8}$/],
    ['a\\b', /^a_b-[0-9a-f]{8}$/],
    ['字'.repeat(100), /^字{63}-[0-9a-f]{8}$/],
  ])('is made safe: %s', (id, safe) => {
    expect(findBadId(id, 'id')).toBeUndefined();
    expect(safeId(id)).toMatch(safe);
  });

  it('is the same for no two ids, also where they would be written alike', () => {
    const ids = ['a/b', 'a:b', 'a?b', 'a_b', 'a\\b'];
    expect(new Set(ids.map(safeId)).size).toBe(ids.length);
  });

  it('is one part of a path that stays in its folder, whatever the id', () => {
    const unit = fc.constantFrom('.', '/', '\\', ':', 'a', '字', '𝒜', ' ', '*');
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1, maxLength: 200 }), (id) => {
        fc.pre(findBadId(id, 'id') === undefined);
        const safe = safeId(id);
        expect(safe).not.toContain('/');
        expect(whyBadPath(`${safe}.{ext}`)).toBeUndefined();
      }),
    );
  });
});
