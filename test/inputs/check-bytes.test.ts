import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ByteCheck } from '../../inputs/check-bytes.ts';

/** The number of the line that follows this text, by the plainest count. */
const lineAfter = (text: string): number => text.split(/\r\n|\r|\n/).length;

it('the line of the first byte that cannot be read counts LF, CR LF and CR, however the bytes are cut', () => {
  const text = fc
    .array(fc.constantFrom('\n', '\r', '\r\n', 'a', 'ü'), { maxLength: 30 })
    .map((parts) => parts.join(''));
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 });
  fc.assert(
    fc.property(text, sizes, (before, lengths) => {
      // The first piece holds at least three bytes.
      const bytes = Buffer.from(`abc${before}\0`);
      const check = new ByteCheck();
      let [at, turn] = [0, 0];
      let line: number | undefined;
      while (at < bytes.length) {
        const end = at + (at === 0 ? 3 : 0) + (lengths[turn++ % lengths.length] ?? 1);
        line = check.accept(bytes.subarray(at, end)).problem?.line;
        at = end;
      }
      expect(line).toBe(lineAfter(`abc${before}`));
    }),
    { numRuns: 500 },
  );
});
