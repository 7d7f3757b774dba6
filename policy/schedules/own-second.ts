import { isNominal } from './is-nominal.ts';
import type { ScheduleSpec } from './schedule-spec.ts';

const SECOND_MS = 1_000;
/** A server takes a trigger within this time, ms. Less than a second, or a schedule that is due every two seconds would leave no room. */
const TAKEN_WITHIN_MS = 900;
/** A schedule that is due each second leaves no second for a trigger; then it waits for none. */
const LONGEST_WAIT_MS = 4_000;

/**
 * How long a trigger has to wait for a second in which the schedule is not due, ms. Temporal tells firings apart by their second: of a trigger and a due
 * time in one, it drops one, without a word.
 */
export function waitForOwnSecond(now: number, spec: Pick<ScheduleSpec, 'times' | 'timezone'>): number {
  const isDue = (time: number): boolean => isNominal(time - (time % SECOND_MS), spec);
  for (let time = now; time <= now + LONGEST_WAIT_MS; time += SECOND_MS - (time % SECOND_MS)) {
    if (!isDue(time) && !isDue(time + TAKEN_WITHIN_MS)) return time - now;
  }
  return 0;
}
