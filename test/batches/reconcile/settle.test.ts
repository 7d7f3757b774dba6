import { describe, expect, it } from '@jest/globals';
import { remainingAfter } from '../../../batches/reconcile/settle.ts';
import type { SettledRow } from '../../../batches/reconcile/decisions.ts';

const lost = (row: number): SettledRow => {
  return { row, id: `r${row}`, jobId: null, type: 'still-unknown', hasList: false, makes: 'job' };
};
const as = (row: number, type: 'found' | 'moved-on' | 'released' | 'adopted'): SettledRow => {
  return { row, id: `r${row}`, jobId: 'job', type };
};
const REFUSED: SettledRow = { row: 9, id: 'r9', jobId: null, type: 'refused', why: { type: 'not-in-doubt' } };

describe('after settling', () => {
  it('rows of which nothing was found are paid for again, where that was asked', () => {
    expect(remainingAfter([lost(1), lost(2)], { again: [2] })).toEqual({ toPay: [2], changed: 'nothing' });
    expect(remainingAfter([lost(1), as(2, 'found')], { again: [1, 2] })).toEqual({ toPay: [1], changed: 'rows' });
  });

  it('none is paid for where a row was refused', () => {
    expect(remainingAfter([REFUSED, lost(2)], { again: [2] })).toEqual({ toPay: [], changed: 'nothing' });
  });

  it.each([
    ['found', 'rows'],
    ['adopted', 'rows'],
    ['released', 'rows'],
    ['moved-on', 'nothing'],
  ] as const)('a row that is %s changes %s', (type, changed) => {
    expect(remainingAfter([as(1, type)], { again: [] }).changed).toBe(changed);
  });

  it('the charge of an earlier take changes the sums alone', () => {
    const earlier = { row: 1, id: 'r1', jobId: null, type: 'not-charged', take: 1 } as const;
    expect(remainingAfter([earlier, lost(2)], { again: [] }).changed).toBe('sums');
    expect(remainingAfter([earlier, as(2, 'adopted')], { again: [] }).changed).toBe('rows');
  });
});
