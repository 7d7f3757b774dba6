import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { spreadOf } from '../../../policy/compare/batch-parity.ts';

it('has no spread without a measurement', () => expect(spreadOf([])).toBeNull());

it('has half of the measurements on either side of the median, and 5 % above p95', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
      const { count, median, p95 } = spreadOf(values) ?? { count: 0, median: 0, p95: 0 };
      expect(count).toBe(values.length);
      expect(values.filter((value) => value <= median).length).toBeGreaterThanOrEqual(values.length / 2);
      expect(values.filter((value) => value < median).length).toBeLessThanOrEqual(values.length / 2);
      expect(values.filter((value) => value > p95).length).toBeLessThanOrEqual(values.length * 0.05);
    }),
  );
});
