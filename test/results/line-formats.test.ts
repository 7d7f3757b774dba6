import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { DELIMITERS } from '../../contract/table-format.ts';
import { unguardCell } from '../../inputs/formula-guard.ts';
import { csvCell, csvLine, jsonLine } from '../../results/line-formats.ts';

const cell = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', "'", '=', '+', '-', '@', '\t', ' ', ';', '\ufeff', 'ä') }),
);

describe('csvLine', () => {
  it('is read back by a CSV reader exactly as it was, once the guard is taken off', () => {
    const table = fc
      .integer({ min: 2, max: 5 })
      .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }));
    fc.assert(
      fc.property(table, fc.constantFrom(...DELIMITERS), (lines, delimiter) => {
        const text = lines.map((line) => csvLine(line, delimiter)).join('');
        const read: string[][] = parse(text, { bom: true, delimiter, record_delimiter: '\n' });
        expect(read.map((line) => line.map((each) => unguardCell(each)))).toEqual(lines);
      }),
    );
  });

  it('leaves no cell that a spreadsheet would run', () => {
    fc.assert(
      fc.property(cell, (text) => {
        expect(csvCell(text)).not.toMatch(/^[=+\-@\t\r]/u);
      }),
    );
  });

  it('writes numbers, also below 0, and lists', () => {
    expect(csvLine([1, 0.5, -2, ['a', 'b'], []])).toBe('1,0.5,-2,a b,\n');
  });

  it('writes decimal commas between semicolons, where Excel takes 4.2 for a date, but leaves texts alone', () => {
    expect(csvLine([4.2, -0.5, 3, '4.2', ['a.b']], ';')).toBe('4,2;-0,5;3;4.2;a.b\n');
    expect(csvLine([4.2], '\t')).toBe('4.2\n');
  });
});

describe('jsonLine', () => {
  it('is one line that any JSON reader reads back unchanged', () => {
    const json = fc.record({ names: fc.uniqueArray(cell, { minLength: 1 }), value: cell });
    fc.assert(
      fc.property(json, ({ names, value }) => {
        const line = jsonLine(
          names,
          names.map(() => value),
        );
        expect(line.endsWith('\n')).toBe(true);
        expect(line.slice(0, -1)).not.toMatch(/[\n\r\u0085\u2028\u2029]/u);
        const read = new Map(Object.entries(JSON.parse(line) as Record<string, unknown>));
        expect([...read.keys()].sort()).toEqual([...names].sort());
        for (const name of names) expect(read.get(name)).toBe(value);
      }),
    );
  });

  it('keeps the order of the names, also of those that are numbers', () => {
    expect(jsonLine(['b', '1', 'a'], ['x', 2, ['y']])).toBe('{"b":"x","1":2,"a":["y"]}\n');
  });
});
