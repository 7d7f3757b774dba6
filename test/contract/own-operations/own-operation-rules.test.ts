import { describe, expect, it } from '@jest/globals';
import {
  addOperations,
  tryAddOperations,
  ownOperations,
} from '../../../contract/own-operations/own-operation-rules.ts';
import type { OwnOperation } from '../../../contract/own-operations/own-operation.ts';
import { KINDS, OPERATIONS, STEPS } from '../../../contract/row-kinds.ts';

/**
 * Tables are those of the process, and other tests read them, so nothing is added here. What is added is seen by the programs of
 * docs/guide/own-operations.md, and by test/live/own-operations.
 */
const EFFECT: OwnOperation = {
  name: 'sound-effect',
  path: '/sound/effects/jobs',
  answer: 'job',
  result: 'audio',
  columns: { prompt: { field: 'prompt' } },
  price: { unit: 'job', credits: 12 },
};

const BY_NUMBER = { unit: 'number', credits: 1 } as const;
const columns = (of: OwnOperation['columns']): Partial<OwnOperation> => ({ columns: of });

const REFUSED: readonly (readonly [string, Partial<OwnOperation>, RegExp])[] = [
  ['a name with capitals', { name: 'Effect' }, /small letters/],
  ['the name of an operation', { name: 'speech-job' }, /of this name/],
  ['the name of a kind', { name: 'tts' }, /of this name/],
  ['the name of a step', { name: 'speech' }, /of this name/],
  ['a path that leaves the API', { path: '/../account' }, /expected a path/],
  ['a path of another host', { path: '//elsewhere.example/jobs' }, /expected a path/],
  ['a query', { path: '/jobs?free=1' }, /expected a path/],
  ['no column that rows must fill', columns({ prompt: { field: 'prompt', optional: true } }), /at least one column/],
  ['a column of the manifest itself', columns({ id: { field: 'id' } }), /cannot be called "id"/],
  ['a column of results', columns({ _credits: { field: 'credits' } }), /cannot be called/],
  ['another meaning of a column', columns({ audio: { field: 'audio', cell: 'text' } }), /hold a link already/],
  ['two columns for a field', columns({ one: { field: 'x' }, two: { field: 'x' } }), /a field of its own/],
  [
    'a price by the length of media that a row may lack',
    {
      ...columns({ audio: { field: 'a' }, video: { field: 'v', optional: true } }),
      price: { unit: 'second', credits: 1 },
    },
    /every column of media/,
  ],
  ['a column that every object has', columns({ constructor: { field: 'x' } }), /cannot be called/],
  ['a name that every object has', { name: 'constructor' }, /small letters/],
  ['a price by a text that no row has', { price: { unit: 'character', credits: 1 } }, /needs a column text/],
  ['a price by a length that no row has', { price: { unit: 'second', credits: 1 } }, /needs a column audio or video/],
  [
    'a price by a unit that nobody knows',
    { price: { unit: 'pixel' as never, credits: 1 } },
    /expected a price by char/,
  ],
  ['a price by the number in no column', { price: BY_NUMBER }, /needs a column \(price.column\)/],
  ['a price by a number that no row has', { price: { ...BY_NUMBER, column: 'length' } }, /needs a column length/],
  ['a price by a number that is a text', { price: { ...BY_NUMBER, column: 'prompt' } }, /needs numbers in the column/],
  [
    'a price by a number that a row may lack',
    {
      ...columns({ prompt: { field: 'p' }, length: { field: 'l', cell: 'number', optional: true } }),
      price: { ...BY_NUMBER, column: 'length' },
    },
    /needs a column length/,
  ],
  [
    'a column for a price that reads none',
    { price: { ...EFFECT.price, column: 'prompt' } },
    /reads no column "prompt"/,
  ],
];

describe('an operation of a user', () => {
  it.each(REFUSED)('is refused with %s, and nothing is added', (_, change, why) => {
    const before = [...KINDS, ...OPERATIONS, ...STEPS];
    const good = { ...EFFECT, name: 'good' };
    expect(() => {
      addOperations([good, { ...EFFECT, ...change }]);
    }).toThrow(why);
    expect([...KINDS, ...OPERATIONS, ...STEPS]).toEqual(before);
    expect(ownOperations()).toEqual([]);
  });

  const level = { ...EFFECT, name: 'one', ...columns({ level: { field: 'level', cell: 'number' } }) };
  it.each([
    [
      'with a column of its name that holds something else',
      [level, { ...level, name: 'other', ...columns({ level: { field: 'level' } }) }],
      /"level" hold a number already/,
    ],
    ['of its name', [EFFECT, { ...EFFECT, path: '/elsewhere' }], /the same name means the same/],
  ])('is refused beside another %s', (_, operations, why) => {
    expect(() => {
      addOperations(operations);
    }).toThrow(why);
    expect(ownOperations()).toEqual([]);
  });

  it('keeps nobody from reading a record, whatever it is there', () => {
    tryAddOperations([
      { ...EFFECT, name: 'tts' },
      { ...EFFECT, path: '/../account' },
    ]);
    expect(ownOperations()).toEqual([]);
  });
});
