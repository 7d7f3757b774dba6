import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { guardCell, unguardCell } from '../../inputs/formula-guard.ts';

const risky = fc.string({ unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', 'a', ' ', '字') });

describe('guardCell', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49 30', "'+49 30"],
    ['-1', "'-1"],
    ['@me', "'@me"],
    ['\tx', "'\tx"],
    ['\rx', "'\rx"],
    ["'=1", "''=1"],
    ["'tis", "'tis"],
    ['', ''],
    ['a=1', 'a=1'],
  ])('writes %j as %j', (cell, guarded) => {
    expect(guardCell(cell)).toBe(guarded);
    expect(unguardCell(guarded)).toBe(cell);
  });

  it('is undone by unguardCell for every text, and never leaves a formula', () => {
    fc.assert(
      fc.property(fc.oneof(risky, fc.string({ unit: 'binary' })), (cell) => {
        expect(unguardCell(guardCell(cell))).toBe(cell);
        expect(guardCell(cell)).not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
  });
});
