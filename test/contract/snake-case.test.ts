import { describe, expect, it } from '@jest/globals';
import { snakeCase } from '../../contract/snake-case.ts';

describe('a view as JSON', () => {
  it('has its members in snake_case, at every depth, and their values as they are', () => {
    const view = { budgetLeft: 1, firstRows: [{ firstId: 'someId' }, null], sha256: 'x', gone: undefined };
    expect(snakeCase(view)).toStrictEqual({
      budget_left: 1,
      first_rows: [{ first_id: 'someId' }, null],
      sha256: 'x',
      gone: undefined,
    });
  });

  it('keeps keys that are data: those of a map, and outcomes', () => {
    const view = { byColumn: new Map([['voiceId', { firstRow: 1 }]]), outcomes: { 'not chosen': 1, cached: 0 } };
    expect(snakeCase(view)).toStrictEqual({
      by_column: { voiceId: { first_row: 1 } },
      outcomes: { 'not chosen': 1, cached: 0 },
    });
  });

  it('writes a date as its ISO time', () => {
    expect(JSON.stringify(snakeCase({ endedAt: new Date(0) }))).toBe('{"ended_at":"1970-01-01T00:00:00.000Z"}');
  });
});
