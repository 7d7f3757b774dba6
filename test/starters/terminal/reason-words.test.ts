import { describe, expect, it } from '@jest/globals';
import { reasonLines } from '../../../starters/terminal/reason-words.ts';
import type { ReasonSum, RowReasons } from '../../../policy/plan/reason-groups.ts';

const NONE: ReasonSum = { rows: 0, quoted: 0, unpriced: 0, saved: 0 };
const ONE: ReasonSum = { rows: 1, quoted: 19, unpriced: 0, saved: 0 };

/** One row of an id that ended in another batch, one whose voice changed, and one that is new. */
const REASONS: RowReasons = {
  cached: NONE,
  equal: NONE,
  new: ONE,
  changed: {
    ...ONE,
    groups: [
      {
        ...ONE,
        reason: { type: 'changed', batch: 'monday', changes: [{ field: 'voice', from: 'dora', to: 'anna' }] },
        isSame: true,
        ids: ['a'],
      },
    ],
  },
  again: {
    ...ONE,
    groups: [{ ...ONE, reason: { type: 'again', batch: 'monday', ended: 'succeeded' }, isSame: true, ids: ['b'] }],
  },
};

describe('reasonLines', () => {
  it('says what became of the last row of an id, where a result would have been used', () => {
    const text = reasonLines(REASONS, 'on', false).join('\n');
    expect(text).toContain('voice changed: dora → anna (last in "monday")');
    expect(text).toContain('same as in "monday", where it ended succeeded: no result to reuse');
    expect(text).not.toContain('afresh');
  });

  it('names --cache off where that is why a result is not used', () => {
    const reason = { type: 'again', batch: 'monday', ended: 'succeeded', isUncached: true } as const;
    const again = { ...ONE, groups: [{ ...ONE, reason, isSame: true, ids: ['b'] }] };
    const text = reasonLines({ ...REASONS, again }, 'on', false).join('\n');
    expect(text).toContain('same as in "monday", which ran with --cache off: no other batch uses its results');
    expect(text).not.toContain('no result to reuse');
  });

  it('warns of rows whose answer was lost in another batch, with the command that settles them', () => {
    const lost = {
      ...ONE,
      reason: { type: 'again', batch: "it's", ended: 'unknown' },
      isSame: true,
      ids: ['b'],
    } as const;
    const reasons = { ...REASONS, again: { ...ONE, groups: [lost] } };
    const text = reasonLines(reasons, 'on', false).join('\n');
    expect(text).toContain('where its answer was lost: it may have been charged');
    expect(text).toMatch(/1 row may be charged a second time: .* voxbatch reconcile 'it'\\''s'$/mu);
    expect(reasonLines(reasons, 'only', false).join('\n')).not.toContain('a second time');
  });

  it.each(['fresh', 'off'] as const)('gives no other reason than --cache %s, where that is the reason', (cache) => {
    const lines = reasonLines(REASONS, cache, false);
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(/^new: no row of this id was ever sent +1 +19$/);
    expect(lines[2]).toMatch(new RegExp(`^paid for afresh: --cache ${cache} +2 +38$`, 'u'));
    expect(lines[3]).toContain(`--cache ${cache}`);
  });
});
