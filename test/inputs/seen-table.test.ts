import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SeenTable } from '../../inputs/seen-table.ts';

describe('SeenTable', () => {
  it('remembers what a Map would, however it grows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ maxLength: 2 }), fc.integer({ min: 1, max: 2 ** 32 - 1 }))),
        (pairs) => {
          const [table, map] = [new SeenTable(), new Map<string, number>()];
          for (const [name, value] of pairs) {
            expect(table.get(name)).toBe(map.get(name));
            table.set(name, value);
            map.set(name, value);
          }
          for (const [name, value] of map) expect(table.get(name)).toBe(value);
        },
      ),
    );
  });

  it('holds many names', () => {
    const table = new SeenTable();
    for (let n = 1; n <= 20_000; n++) table.set(`name ${n}`, n);
    for (let n = 1; n <= 20_000; n++) expect(table.get(`name ${n}`)).toBe(n);
    expect(table.get('name 0')).toBeUndefined();
  });

  it('answers with the line that came before', () => {
    const table = new SeenTable();
    expect(table.lineBefore('a', 7)).toBeUndefined();
    expect(table.lineBefore('a', 9)).toBe(7);
    expect(table.lineBefore('a', 11)).toBe(7);
  });
});
