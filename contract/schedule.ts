import { TUNABLE_NAMES, TUNABLES, type TunableName } from './tunables.ts';

/** What a schedule and its firings agree on: names in Temporal, and what a firing is told. */

/** The workflow that a schedule starts. */
export const FIRE_SCHEDULE = 'fireSchedule';

/** What Temporal hands to each firing of a schedule. It is on record there, so no token, text or link is in it. */
export interface FireScheduleInput {
  /** Name of the schedule. */
  readonly schedule: string;
  /** What to run, as `inputs/scheduled-run.ts` reads it. */
  readonly run: unknown;
}

/** Id of a schedule in Temporal, and the beginning of the ids of the workflows that it starts. No batch can have such an id: theirs have no colon. */
export function scheduleIdOf(ledgerId: string, schedule: string): string {
  return `voxbatch ${ledgerId} ${schedule}`;
}

/**
 * The tunables that a schedule settles for its batches. Hooks are not among them: whoever can write to Temporal could have any command run by
 * a worker, and whoever can read there would see the URL, which often is a secret.
 */
export const SCHEDULED_TUNABLES: readonly TunableName[] = TUNABLE_NAMES.filter(
  (name) => !['command', 'url'].includes(TUNABLES[name].takes.type),
);
