import { describe, expect, it } from '@jest/globals';
import { readTable, withoutMarks } from '../support/markdown-table.ts';

const PAGE = `
# Page

| code | meaning |
|---:|:---|
| 0 | \`a\\|b\` or c |
| 1 |  |

\`\`\`
| code | meaning |
|---|---|
| 2 | in code |
\`\`\`

| flag | meaning |
| --- | --- |
| \`--x\` | one |`;

describe('readTable', () => {
  it('reads the table with these columns, outside of code', () => {
    expect(readTable(PAGE, ['code', 'meaning'])).toEqual([
      { code: '0', meaning: '`a|b` or c' },
      { code: '1', meaning: '' },
    ]);
    expect(readTable(PAGE, ['flag', 'meaning'])).toEqual([{ flag: '`--x`', meaning: 'one' }]);
  });

  it('refuses a table that is not there, and says which are', () => {
    expect(() => readTable(PAGE, ['code'])).toThrow(
      'Expected one table | code |, found 0. The tables are:\n| code | meaning |\n| flag | meaning |',
    );
  });

  it('refuses to choose between two tables', () => {
    expect(() => readTable(`${PAGE}\n\n${PAGE}`, ['flag', 'meaning'])).toThrow(/found 2/);
  });

  it('refuses a row with a cell too many', () => {
    expect(() => readTable('| a |\n|---|\n| 1 | 2 |', ['a'])).toThrow('Expected 1 cells, found 2: 1 | 2');
  });
});

describe('withoutMarks', () => {
  it('takes the marks of code off', () => {
    expect(withoutMarks('`a` or `b`')).toBe('a or b');
  });
});
