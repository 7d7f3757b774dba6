import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ReasonGroups, type ReasonedRow, type RowReason, type RowReasons } from '../../../policy/plan/reason-groups.ts';

const voice = (from: string, to: string, batch = 'last'): RowReason => ({
  type: 'changed',
  batch,
  changes: [{ field: 'voice', from, to }],
});

function group(...rows: readonly Partial<ReasonedRow>[]): RowReasons {
  const groups = new ReasonGroups();
  rows.forEach((row, at) => {
    groups.add({ id: `r${at}`, reason: { type: 'new' }, quoted: 2, saved: 0, ...row });
  });
  return groups.result();
}

describe('the rows of a manifest by reason', () => {
  it('makes one line of a field, its values and the batch', () => {
    const { changed } = group(
      { reason: voice('anna', 'ben') },
      { reason: voice('anna', 'cleo') },
      { reason: voice('anna', 'ben') },
      { reason: voice('anna', 'ben', 'before') },
    );
    expect(changed).toMatchObject({ rows: 4, quoted: 8 });
    expect(changed.groups.map(({ rows, quoted, ids }) => ({ rows, quoted, ids }))).toEqual([
      { rows: 2, quoted: 4, ids: ['r0', 'r2'] },
      { rows: 1, quoted: 2, ids: ['r1'] },
      { rows: 1, quoted: 2, ids: ['r3'] },
    ]);
  });

  it('keeps texts together, with the values of the first row, cut to where they differ', () => {
    const long = 'x'.repeat(100);
    const text = (from: string, to: string): RowReason => ({
      type: 'changed',
      batch: 'last',
      changes: [{ field: 'text', from, to }],
    });
    const [one] = group({ reason: text(`${long}A`, `${long}B`) }, { reason: text('a', 'b') }).changed.groups;
    expect(one).toMatchObject({ rows: 2, isSame: false });
    expect(one?.reason).toMatchObject({
      changes: [{ from: `…${'x'.repeat(20)}A`, to: `…${'x'.repeat(20)}B` }],
    });
  });

  it('counts a row with two changed fields once', () => {
    const both: RowReason = {
      type: 'changed',
      batch: 'last',
      changes: [
        { field: 'voice', from: 'a', to: 'b' },
        { field: 'speed', from: '1', to: '2' },
      ],
    };
    expect(group({ reason: both }).changed).toMatchObject({ rows: 1, quoted: 2, groups: [{ rows: 1, isSame: true }] });
  });

  it('tells rows that asked for the same by how they ended', () => {
    const { again } = group(
      { reason: { type: 'again', batch: 'last', ended: 'failed' } },
      { reason: { type: 'again', batch: 'last', ended: 'failed' } },
      { reason: { type: 'again', batch: 'last', ended: null } },
    );
    expect(again.groups.map(({ rows }) => rows)).toEqual([2, 1]);
  });

  it('keeps a bounded number of groups, and every row in the sums', () => {
    const { changed } = group(
      ...Array.from({ length: 5_000 }, (_, at) => ({ reason: voice(`old ${at}`, `new ${at}`) })),
    );
    expect(changed.rows).toBe(5_000);
    expect(changed.groups.length).toBe(1_001);
    expect(changed.groups[0]).toMatchObject({ rows: 4_000, isSame: false });
  });

  it('has each row in exactly one sum', () => {
    const reason = fc.oneof(
      fc.constantFrom<RowReason>({ type: 'cached' }, { type: 'equal' }, { type: 'new' }),
      fc.constantFrom('failed' as const, null).map((ended) => ({ type: 'again' as const, batch: 'b', ended })),
      fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('c', 'd')).map(([from, to]) => voice(from, to)),
    );
    const row = fc.record({ reason, quoted: fc.option(fc.nat(1_000)), saved: fc.nat(1_000) });
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const result = group(...rows);
        const sums = [result.cached, result.equal, result.new, result.changed, result.again];
        const add = (of: (sum: (typeof sums)[number]) => number): number => sums.reduce((all, sum) => all + of(sum), 0);
        expect(add(({ rows: n }) => n)).toBe(rows.length);
        expect(add(({ quoted }) => quoted)).toBe(rows.reduce((all, { quoted }) => all + (quoted ?? 0), 0));
        expect(add(({ unpriced }) => unpriced)).toBe(rows.filter(({ quoted }) => quoted === null).length);
        for (const { groups, rows: n } of [result.changed, result.again])
          expect(groups.reduce((all, each) => all + each.rows, 0)).toBe(n);
      }),
    );
  });
});
