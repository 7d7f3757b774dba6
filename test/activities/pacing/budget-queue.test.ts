import { describe, expect, it } from '@jest/globals';
import { BudgetQueue } from '../../../activities/pacing/budget-queue.ts';

const never = new AbortController().signal;

describe('rows that wait for room', () => {
  it('ask one after the other, each time another has found room', async () => {
    const waits = new BudgetQueue();
    const asked: number[] = [];
    const all = [1, 2, 3].map((row) => waits.waitForTurn('b', never).then(() => asked.push(row)));
    waits.letNextCheck('another');
    waits.letNextCheck('b');
    await Promise.race(all);
    expect(asked).toEqual([1]);
    waits.letNextCheck('b');
    waits.letNextCheck('b');
    await Promise.all(all);
    expect(asked).toEqual([1, 2, 3]);
  });

  it('ask now and then, whoever makes room', async () => {
    const waits = new BudgetQueue();
    await expect(Promise.all([waits.waitForTurn('b', never), waits.waitForTurn('b', never)])).resolves.toHaveLength(2);
  });

  it('wait no longer than their lane', async () => {
    const waits = new BudgetQueue();
    const lane = new AbortController();
    const waiting = waits.waitForTurn('b', lane.signal);
    lane.abort(new Error('over'));
    await expect(waiting).rejects.toThrow('over');
    await expect(waits.waitForTurn('b', lane.signal)).rejects.toThrow('over');
  });
});
