import { describe, expect, it } from '@jest/globals';
import { DEFAULT_TUNABLES, type Tunables } from '../../contract/tunables.ts';
import { applyTuning, changedTunables } from '../../policy/tuning.ts';

const HOLDS: Tunables = applyTuning(DEFAULT_TUNABLES, {
  limits: { rate: 5 },
  budget: 500,
  halt: { when: 'soon', fail: 5, unit: 'percent' },
});

describe('flags that are given again', () => {
  it('record how many requests go at once, also where as many would follow from the rows', () => {
    const said = { limits: { submits: HOLDS.limits.submits } };
    expect(changedTunables(said, { ...HOLDS, submitsByRows: true })).toEqual(said);
    expect(changedTunables(said, { ...HOLDS, submitsByRows: false })).toEqual({});
    expect(changedTunables({}, { ...HOLDS, submitsByRows: true })).toEqual({});
  });

  it('change what differs', () => {
    expect(changedTunables({ budget: null, retakes: 0, limits: { rate: 6, submits: 8 } }, HOLDS)).toEqual({
      budget: null,
      limits: { rate: 6 },
    });
  });
});
