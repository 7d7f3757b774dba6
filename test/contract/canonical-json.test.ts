import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '../../contract/canonical-json.ts';

describe('canonical JSON', () => {
  it('is the same whatever the order of members, at every depth', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 'x' }], a: null })).toBe('{"a":null,"b":[{"c":"x","d":1}]}');
    expect(canonicalJson({ a: null, b: [{ c: 'x', d: 1 }] })).toBe('{"a":null,"b":[{"c":"x","d":1}]}');
  });

  it('keeps a member of the name __proto__, and leaves out those without a value', () => {
    const given = JSON.parse('{"z": 1, "__proto__": {"y": 2, "x": 3}}') as object;
    expect(canonicalJson({ ...given, gone: undefined })).toBe('{"__proto__":{"x":3,"y":2},"z":1}');
  });

  it('has numbers as names in the order of an object, as in keys on record', () => {
    expect(canonicalJson({ b: 1, 10: 2, 9: 3 })).toBe('{"9":3,"10":2,"b":1}');
  });
});
