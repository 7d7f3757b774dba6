import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dialectOfRow } from '../../../policy/dialects/dialect-of-row.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('the dialect of a row', () => {
  it('is v1 without a share, and legacy where all rows are', () => {
    fc.assert(
      fc.property(fc.string(), (id) => {
        expect(dialectOfRow({ kind: 'tts' }, id, 0)).toBe('v1');
        expect(dialectOfRow({ kind: 'lip-sync' }, id, 1)).toBe('legacy');
      }),
    );
  });

  it('never goes back to v1 with a larger share', () => {
    fc.assert(
      fc.property(fc.string(), share, share, (id, one, other) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        if (dialectOfRow({ kind: 'tts' }, id, less) === 'legacy')
          expect(dialectOfRow({ kind: 'tts' }, id, more)).toBe('legacy');
      }),
    );
  });

  it('is legacy for about the share of the rows, whatever their ids look like', () => {
    for (const idOf of [
      String,
      (n: number) => `chapter-1/line-${n}`,
      (n: number) => `r${String(n).padStart(6, '0')}`,
    ]) {
      for (const part of [0.01, 0.2, 0.5]) {
        const ids = Array.from({ length: 10_000 }, (_, n) => idOf(n + 1));
        const legacy = ids.filter((id) => dialectOfRow({ kind: 'tts' }, id, part) === 'legacy').length;
        expect(Math.abs(legacy - part * 10_000)).toBeLessThan(200);
      }
    }
  });

  it('is v1 for kinds that legacy lacks, and none where they have to be legacy', () => {
    for (const kind of ['stt', 'dub', 'video-dubbing'] as const) {
      expect(dialectOfRow({ kind }, 'a', 0.999)).toBe('v1');
      expect(dialectOfRow({ kind }, 'a', 1)).toBeUndefined();
    }
  });
});
