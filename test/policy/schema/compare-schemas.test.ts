import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareSchemas, isSameSchema, type SchemaDigests } from '../../../policy/schema/compare-schemas.ts';

const anyDigests: fc.Arbitrary<SchemaDigests> = fc.dictionary(
  fc.constantFrom('GET /a', 'POST /a', 'GET /b'),
  fc.dictionary(fc.constantFrom('parameters', 'request', 'answer 200'), fc.constantFrom('1', '2')),
);

describe('compareSchemas', () => {
  it('tells what is new, gone and changed', () => {
    const before = { 'GET /a': { request: '1', 'answer 200': '1' }, 'GET /b': {} };
    const now = { 'GET /a': { request: '1', 'answer 200': '2', 'answer 202': '1' }, 'GET /c': {} };
    expect(compareSchemas(before, now)).toEqual({
      added: ['GET /c'],
      removed: ['GET /b'],
      changed: [{ endpoint: 'GET /a', parts: ['answer 200', 'answer 202'] }],
    });
  });

  it('finds no change between equal looks, and the opposite one the other way round', () => {
    fc.assert(
      fc.property(anyDigests, anyDigests, (one, other) => {
        expect(isSameSchema(compareSchemas(one, structuredClone(one)))).toBe(true);
        const [there, back] = [compareSchemas(one, other), compareSchemas(other, one)];
        expect([there.added, there.removed, there.changed]).toEqual([back.removed, back.added, back.changed]);
      }),
    );
  });
});
