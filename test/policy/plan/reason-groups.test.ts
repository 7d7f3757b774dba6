import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BUILT_IN_PRICES, type RowSpec, type Step } from '../../../contract/row-kinds.ts';
import { quoteSteps } from '../../../policy/money/pricing.ts';
import {
  ReasonGroups,
  stepsToPay,
  type ReasonedRow,
  type RowReason,
  type RowReasons,
} from '../../../policy/plan/reason-groups.ts';

const changed = (from: string, to: string, batch = 'last', field = 'voice'): RowReason => {
  return { type: 'changed', batch, changes: [{ field, from, to }] };
};

function group(...rows: readonly Partial<ReasonedRow>[]): RowReasons {
  const groups = new ReasonGroups();
  rows.forEach((row, at) => {
    groups.add({ id: `r${at}`, reason: { type: 'new' }, quoted: 2, saved: 0, ...row });
  });
  return groups.result();
}

describe('the rows of a manifest by reason', () => {
  it('makes one line of a field, its values and the batch', () => {
    const { changed: found } = group(
      { reason: changed('anna', 'ben') },
      { reason: changed('anna', 'cleo') },
      { reason: changed('anna', 'ben') },
      { reason: changed('anna', 'ben', 'before') },
    );
    expect(found).toMatchObject({ rows: 4, quoted: 8 });
    expect(found.groups.map(({ rows, quoted, ids }) => ({ rows, quoted, ids }))).toEqual([
      { rows: 2, quoted: 4, ids: ['r0', 'r2'] },
      { rows: 1, quoted: 2, ids: ['r1'] },
      { rows: 1, quoted: 2, ids: ['r3'] },
    ]);
  });

  it('keeps texts together, with the values of the first row, cut to where they differ', () => {
    const [long, short] = ['x'.repeat(100), `…${'x'.repeat(20)}`];
    const text = (from: string, to: string): RowReason => changed(from, to, 'last', 'text');
    const [one] = group({ reason: text(`${long}A`, `${long}B`) }, { reason: text('a', 'b') }).changed.groups;
    expect(one).toMatchObject({ rows: 2, isSame: false });
    expect(one?.reason).toMatchObject({ changes: [{ from: `${short}A`, to: `${short}B` }] });
  });

  it('counts a row with two changed fields once', () => {
    const speed = { field: 'speed', from: '1', to: '2' };
    const both: RowReason = {
      type: 'changed',
      batch: 'last',
      changes: [{ field: 'voice', from: 'a', to: 'b' }, speed],
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
    const rows = Array.from({ length: 5_000 }, (_, at) => ({ reason: changed(`old ${at}`, `new ${at}`) }));
    const found = group(...rows).changed;
    expect([found.rows, found.groups.length]).toEqual([5_000, 1_001]);
    expect(found.groups[0]).toMatchObject({ rows: 4_000, isSame: false });
  });

  it('has each row in exactly one sum', () => {
    const reason = fc.oneof(
      fc.constantFrom<RowReason>({ type: 'cached' }, { type: 'equal' }, { type: 'new' }),
      fc.constantFrom('failed' as const, null).map((ended) => ({ type: 'again' as const, batch: 'b', ended })),
      fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('c', 'd')).map(([from, to]) => changed(from, to)),
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

const CHAIN: readonly Step[] = ['speech', 'lip-sync'];
const toPay = (...there: readonly Step[]): readonly Step[] => stepsToPay(CHAIN, (step) => there.includes(step));

describe('the steps whose results must be paid for', () => {
  it('are none where the last result is there, whatever came before it', () => {
    expect(toPay('lip-sync')).toEqual([]);
    expect(toPay('speech', 'lip-sync')).toEqual([]);
    expect(stepsToPay([], () => false)).toEqual([]);
  });

  it('begin with the first that is not there', () => {
    expect(toPay()).toEqual(CHAIN);
    expect(toPay('speech')).toEqual(['lip-sync']);
  });

  it('cost the sum of their prices, or nobody knows what', () => {
    const spec: RowSpec = { kind: 'dub', text: 'Hello', voice: 'v', video: 'https://cdn.example/v.mp4', extra: {} };
    const price = { prices: BUILT_IN_PRICES, tts: 'job' as const };
    expect(quoteSteps([], spec, price)).toBe(0);
    expect(quoteSteps(['speech'], spec, price)).toBe(3);
    expect(quoteSteps(CHAIN, spec, price)).toBeNull();
    expect(quoteSteps(CHAIN, { ...spec, duration: 4 }, price)).toBe(7);
  });
});
