import { describe, expect, it } from '@jest/globals';
import { judge } from '../../bench/judge.ts';
import { ratiosOf, tableOf } from '../../bench/print-scores.ts';
import { makeRows, planFaults } from '../../bench/rows.ts';
import { parseFaultPlan } from '../../simulator/fault-plan.ts';
import type { LedgerEntry } from '../../simulator/start-simulator.ts';

const ROWS = makeRows(4);

function charge(row: number, credits = 10): LedgerEntry {
  return {
    at: 1,
    operation: 'speech-job',
    jobId: 'j',
    credits,
    idempotencyKey: null,
    requestId: 'q',
    text: ROWS[row - 1]?.text ?? '',
    answered: 'sent',
  };
}

it('judge counts as double what was charged beyond the first of a row, whoever says what', () => {
  const account = { delivered: new Set(['r1', 'r2']), unknown: new Set(['r3', 'r1']), isOver: true };
  const charges = [charge(1), charge(2), charge(1, 11), charge(3), charge(1, 12)];
  expect(judge('x', ROWS, account, charges, 2)).toEqual({
    name: 'x',
    rows: 4,
    delivered: 2,
    unknown: 1,
    lost: 1,
    charges: 5,
    doubles: 2,
    wasted: 23,
    seconds: 2,
    isOver: true,
  });
});

describe('the printed scores', () => {
  const account = { delivered: new Set(['r1']), unknown: new Set<string>(), isOver: false };
  const ours = judge('ours', ROWS, { ...account, isOver: true }, [charge(1)], 1);
  const theirs = judge('theirs', ROWS, account, [charge(1), charge(1)], 3);

  it('are a table, and a line of ratios for each peer', () => {
    expect(tableOf([ours, theirs]).split('\n').slice(2)).toEqual([
      '| ours | 4 | 1 | 0 | 3 | 1 | **0** | 0.0 | 1.0 |',
      '| theirs (time was over) | 4 | 1 | 0 | 3 | 2 | **1** | 10.0 | 3.0 |',
    ]);
    expect(ratiosOf([ours, theirs])).toBe(
      'theirs : ours – double charges 1 : 0, charges a row 0.50 : 0.25 = 2.00×, lost rows 3 : 3, time 3.00 : 1.00 = 3.00×',
    );
    expect(ratiosOf([])).toBe('');
  });
});

it('planFaults meets the first request of other rows each, the same ones for the same seed', () => {
  const rows = makeRows(300);
  const { rules } = parseFaultPlan(planFaults(rows, 7));
  expect(rules).toHaveLength(15);
  expect(new Set(rules.map(({ match }) => match.text)).size).toBe(15);
  expect(rules.every(({ on, match }) => on === 'create' && match.nth === 1)).toBe(true);
  expect(planFaults(rows, 7)).toEqual(planFaults(rows, 7));
  expect(planFaults(rows, 8)).not.toEqual(planFaults(rows, 7));
});
