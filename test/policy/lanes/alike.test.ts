import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FailureClass } from '../../../contract/failures.ts';
import { afterFailure, FIRST_ALIKE, newAlikeWatch, type AlikeWatch } from '../../../policy/lanes/halt.ts';

interface Told {
  readonly row: number;
  readonly reason: FailureClass;
  readonly hasResult: boolean;
}

function watchAll(told: readonly Told[]): AlikeWatch {
  return told.reduce(
    (watch, { row, reason, hasResult }) => afterFailure(watch, { row, reason }, hasResult),
    newAlikeWatch(null),
  );
}

const TOLD = fc.record({
  row: fc.integer({ min: 1, max: 40 }),
  reason: fc.constantFrom<FailureClass>('ResultGone', 'ResultGone', 'ResultGone', 'Unfit'),
  hasResult: fc.integer({ min: 0, max: 30 }).map((chance) => chance === 30),
});

describe('the watch over the first rows', () => {
  it('is due at the twentieth row of one reason, and not before', () => {
    const rows = Array.from({ length: FIRST_ALIKE }, (_, at) => ({
      row: at + 1,
      reason: 'Unfit' as const,
      hasResult: false,
    }));
    expect(watchAll(rows.slice(1)).is).toBe('on');
    expect(watchAll(rows).is).toBe('due');
  });

  it('counts a row once, however often it is told of', () => {
    const again = Array.from({ length: 100 }, () => ({ row: 7, reason: 'Unfit' as const, hasResult: false }));
    expect(watchAll(again)).toMatchObject({ is: 'on', rows: [7] });
  });

  it('is due exactly where the first twenty rows had one class and no result was there', () => {
    fc.assert(
      fc.property(fc.array(TOLD, { maxLength: 80 }), (told) => {
        const watch = watchAll(told);
        const rows = new Set<number>();
        let is: AlikeWatch['is'] = 'on';
        for (const { row, reason, hasResult } of told) {
          if (is !== 'on') break;
          if (hasResult || reason !== told[0]?.reason) is = 'over';
          else if (rows.add(row).size >= FIRST_ALIKE) is = 'due';
        }
        expect(watch.is).toBe(is);
        expect(watch.rows.length).toBeLessThanOrEqual(FIRST_ALIKE);
      }),
    );
  });
});
