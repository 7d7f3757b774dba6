import { monthOf, type MonthStanding } from '../../policy/schedules/month-budget.ts';
import type { ScheduleSpec } from '../../policy/schedules/schedule-spec.ts';
import type { SchedulePlace } from './place.ts';

/** What a schedule has spent in a calendar month, and what is left of its budget. */
export interface ScheduleMonth extends MonthStanding {
  /** `2026-12` */
  readonly month: string;
}

/** How the current month of a schedule stands; undefined if it has no budget for months. */
export async function monthOfSchedule(
  { ledger }: Pick<SchedulePlace, 'ledger'>,
  schedule: string,
  { budgetMonth: credits, timezone }: Pick<ScheduleSpec, 'budgetMonth' | 'timezone'>,
): Promise<ScheduleMonth | undefined> {
  if (credits === null) return undefined;
  const at = Date.now();
  return { month: monthOf(at, timezone), ...(await ledger.monthSpend({ schedule, at, credits, timezone })) };
}
