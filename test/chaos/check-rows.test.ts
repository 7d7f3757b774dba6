import { describe, expect, it } from '@jest/globals';
import { checkRows, checkUnknown } from './check-rows.ts';
import type { AttemptView } from './ledger-view.ts';
import type { Doubt } from './perform.ts';
import { filesOf, resultOf } from './sample-charges.ts';

describe('rows in = rows out', () => {
  it('finds nothing where every row is there with an outcome', () => {
    expect(checkRows([filesOf([resultOf(1), resultOf(2)])]).broken).toEqual([]);
  });

  it('finds a lost row, a doubled one, and one without an outcome', () => {
    const rows = [resultOf(1), resultOf(2)];
    expect(checkRows([filesOf(rows, { csvIds: ['r1'] })]).broken).toEqual(['lines: 2 rows in, 1 in results.csv']);
    expect(checkRows([filesOf([...rows, resultOf(2)], { manifestIds: ['r1', 'r2'] })]).broken).toHaveLength(2);
    expect(checkRows([filesOf([resultOf(1, { _outcome: '' })])]).broken).toEqual(['lines/r1 has no outcome']);
  });
});

describe('rows in doubt', () => {
  const unknown = filesOf([resultOf(1, { _outcome: 'unknown' })]);
  const attempt: AttemptView = {
    ...{ batch: 'lines', row: 1, step: 'speech', take: 1, attempt: 1, state: 'unknown', jobId: null },
    ...{ owner: 'host 77 abc', intentAt: 100, verdictAt: 200, rowState: 'submitting', outcome: 'unknown' },
  };
  const doubt: Doubt = { event: 1, pid: 77, from: 150, until: 160, inFlight: 1 };
  const broken = (doubts: readonly Doubt[], lies: number): number =>
    checkUnknown([unknown], [attempt], doubts, lies).flatMap((finding) => finding.broken).length;

  it('are explained by an event that struck their process while they were on the wire', () => {
    expect(broken([doubt], 0)).toBe(0);
    expect(broken([{ event: 1, from: 150, until: 160, inFlight: 1 }], 0)).toBe(0);
  });

  it('are explained by a lie of the API', () => expect(broken([], 1)).toBe(0));

  it('are a breach where nothing explains them: another process, before, or after', () => {
    expect(broken([{ ...doubt, pid: 78 }], 0)).toBe(2);
    expect(broken([{ ...doubt, from: 10, until: 90 }], 0)).toBe(2);
    expect(broken([{ ...doubt, from: 250, until: 300 }], 0)).toBe(2);
  });
});
