import { describe, expect, it } from '@jest/globals';
import { MONTH_EVENTS, monthBudgetOf, planMonth, ROW_CREDITS, RUN_BUDGET } from './month-plan.ts';

describe('the plan of a month', () => {
  it('is the same each time, and another for another seed', () => {
    expect(planMonth(5, 30)).toEqual(planMonth(5, 30));
    expect(planMonth(6, 30)).not.toEqual(planMonth(5, 30));
  });

  it.each([1, 2, 3, 77, 1_234])('of seed %d has every event before its budget ends, on day 20', (seed) => {
    const plan = planMonth(seed, 30);
    expect(plan.map(({ day }) => day)).toEqual(plan.map((_, index) => index + 1));
    const events = new Set(plan.slice(0, 20).map(({ event }) => event));
    expect(MONTH_EVENTS.filter((event) => !events.has(event))).toEqual([]);
    const outage = plan.findIndex(({ event }) => event === 'long-outage');
    expect(plan.slice(outage + 1, outage + 3).map(({ event }) => event)).toEqual(['none', 'none']);
  });

  it('has a budget that a whole month would exceed, and runs that would exceed theirs', () => {
    const plan = planMonth(5, 30);
    const wanted = plan.reduce((sum, { rows }) => sum + rows * ROW_CREDITS, 0);
    expect(monthBudgetOf(plan)).toBeLessThan(wanted * 0.8);
    expect(plan.some(({ rows }) => rows * ROW_CREDITS > RUN_BUDGET)).toBe(true);
  });
});
