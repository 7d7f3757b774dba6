import { describe, expect, it } from '@jest/globals';
import { isMadeHere } from '../../../policy/trust/known-file.ts';

const BORN = Date.UTC(2026, 10, 1);
const OLD = { born: BORN, madeAt: BORN + 40, isOfEarlierVersion: true };

describe('a ledger of an earlier version', () => {
  it('was made here if its file was born when it says that it was made', () => {
    expect(isMadeHere(OLD)).toBe(true);
    expect(isMadeHere({ ...OLD, madeAt: BORN + 2_000 })).toBe(true);
    expect(isMadeHere({ ...OLD, madeAt: BORN + 2_001 })).toBe(false);
    expect(isMadeHere({ ...OLD, madeAt: BORN - 2_001 })).toBe(false);
  });

  it('is not taken for one where nobody knows, after the time of the upgrade, or if it is none', () => {
    expect(isMadeHere({ ...OLD, madeAt: null })).toBe(false);
    expect(isMadeHere({ ...OLD, born: 0, madeAt: 40 })).toBe(false);
    expect(isMadeHere({ ...OLD, isOfEarlierVersion: false })).toBe(false);
    const late = Date.UTC(2027, 6, 1);
    expect(isMadeHere({ ...OLD, born: late, madeAt: late })).toBe(false);
    expect(isMadeHere({ ...OLD, born: late - 1, madeAt: late })).toBe(true);
  });
});
