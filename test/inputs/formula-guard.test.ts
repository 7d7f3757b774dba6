import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { guardCell, unguardCell } from '../../inputs/formula-guard.ts';

const control = fc.string({ unit: fc.constantFrom('\\', '\u001b', 'u001b', '\u009b', 'u009b', 'u0009', "'", '=') });
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
    ['\u001b[2Jjob\u0007', String.raw`\u001b[2Jjob\u0007`],
    ['\u009b31m\u007f', String.raw`\u009b31m\u007f`],
    ['two\nlines\t', 'two\nlines\t'],
    [String.raw`\u001b`, String.raw`\\u001b`],
    [String.raw`\u0000`, String.raw`\\u0000`],
    [String.raw`C:\u0041 \n`, String.raw`C:\u0041 \n`],
    ['\\\u001b', String.raw`\\\u001b`],
  ])('writes %j as %j', (cell, guarded) => {
    expect(guardCell(cell)).toBe(guarded);
    expect(unguardCell(guarded)).toBe(cell);
  });

  it('is undone by unguardCell for every text, and never leaves a formula', () => {
    fc.assert(
      fc.property(fc.oneof(risky, control, fc.string({ unit: 'binary' })), (cell) => {
        expect(unguardCell(guardCell(cell))).toBe(cell);
        expect(guardCell(cell)).not.toMatch(/^[=+\-@\t\r]/);
        // eslint-disable-next-line no-control-regex -- These are what no cell may have.
        expect(guardCell(cell)).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
      }),
    );
  });
});
