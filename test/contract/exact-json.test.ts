import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isTooDeep, inspectJson } from '../../contract/exact-json.ts';

it('counts how deep objects and lists are nested, whatever the strings in them say', () => {
  expect(inspectJson('7').depth).toBe(0);
  expect(inspectJson('{"a":[{"b":"[[[["},[]],"{":"\\\\"}').depth).toBe(3);
  const depthOf = (value: unknown): number =>
    typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf));
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (value, space) => {
      expect(inspectJson(JSON.stringify(value, null, space))).toEqual({
        depth: depthOf(value),
        duplicateKey: undefined,
      });
    }),
  );
});

it('finds a key that occurs twice at the top, however it is written', () => {
  expect(inspectJson('{"a":1,"b":{"b":2},"\\u0061" : 3}').duplicateKey).toBe('a');
  expect(inspectJson('{"a\\"":1,"x":"a\\"","a":{"a\\"":2}}').duplicateKey).toBeUndefined();
});

it('reads strings of any length, and tells what is too deep', () => {
  const long = 'a'.repeat(20_000_000);
  expect(inspectJson(`{"x":"${long}","x":"${'\\\\'.repeat(1_000_000)}"}`)).toEqual({ depth: 1, duplicateKey: 'x' });
  expect([100, 101].map((depth) => isTooDeep(inspectJson('['.repeat(depth) + ']'.repeat(depth))))).toEqual([
    false,
    true,
  ]);
});
