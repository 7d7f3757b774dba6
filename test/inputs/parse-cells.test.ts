import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonValue } from '../../contract/row-kinds.ts';
import { formatApiCell, parseApiCell } from '../../contract/exact-json.ts';

describe('api.<field> cells', () => {
  it.each<[string, JsonValue]>([
    ['1', 1],
    [' -2.5e3 ', -2500],
    ['true', true],
    ['null', null],
    ['True', 'True'],
    ['+1', '+1'],
    ['007', '007'],
    ['1e999', '1e999'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740992', -9007199254740992],
    ['{"a":1}', { a: 1 }],
    [
      '{"a":[1234567890123456781,"1234567890123456781"],"b":1e999}',
      { a: Array(2).fill('1234567890123456781'), b: '1e999' },
    ],
    ['{a:1}', '{a:1}'],
    ['"5"', '5'],
    ['"a" and "b"', '"a" and "b"'],
    [' plain ', ' plain '],
  ])('takes %j as %j', (cell, value) => expect(parseApiCell(cell)).toEqual(value));

  it('carry every JSON value there and back', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        const value = JSON.parse(JSON.stringify(any)) as JsonValue;
        const cell = formatApiCell(value);
        expect(cell).not.toBe('');
        expect(parseApiCell(cell)).toEqual(value);
      }),
    );
  });
});
