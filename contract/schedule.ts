import { TUNABLE_NAMES, TUNABLES, type TunableName, type TunableValues } from './tunables.ts';
import { utcSecond } from './duration.ts';

/** What a schedule and its firings agree on: names in Temporal, and the input of a firing. */

/** The workflow that a schedule starts. */
export const FIRE_SCHEDULE = 'fireSchedule';

/**
 * What Temporal hands to each firing of a schedule. Temporal records it, and whoever reaches Temporal can hand over another: what the schedule runs is
 * in the ledger. Firings that an earlier version began have more members, which nobody reads.
 */
export interface FireScheduleInput {
  /** Name of the schedule. */
  readonly schedule: string;
}

/**
 * Id of a schedule in Temporal, and prefix of the ids of the workflows that it starts. No batch can have such an id:
 * batch ids have no colon.
 */
export function scheduleIdOf(ledgerId: string, schedule: string): string {
  return `voxbatch ${ledgerId} ${schedule}`;
}

/** Id of the workflow that a schedule starts for a time, ms since 1970: Temporal appends it to the id that the schedule names. */
export function firingIdOf(ledgerId: string, schedule: string, at: number): string {
  return `${scheduleIdOf(ledgerId, schedule)}-${utcSecond(at)}`;
}

/**
 * The tunables that a schedule sets for its batches. Hooks are excluded: anyone who can write to Temporal could make a
 * worker run any command, and anyone who can read there would see the URL, which is often a secret.
 */
export const SCHEDULED_TUNABLES: readonly TunableName[] = TUNABLE_NAMES.filter(
  (name) => !['command', 'url'].includes(TUNABLES[name].takes.type),
);

/**
 * The hooks of a schedule. They are kept in the ledger, and are those of each batch that it makes. null: none.
 */
export type ScheduleHooks = Pick<TunableValues, 'onEnd' | 'notify'>;

/**
 * Why an occurrence did not take place. `overlap`: the batch before still ran. `paused`: the schedule was, by hand. `paused-on-failure`: it paused
 * by itself. `missed`: nobody was there to fire it
 * before its catch-up time was over. `month-budget`: it fired, and what was left of the month's budget pays not even one row.
 */
export const SKIP_CAUSES = ['overlap', 'paused', 'paused-on-failure', 'missed', 'month-budget'] as const;

/** One of {@link SKIP_CAUSES}. */
export type SkipCause = (typeof SKIP_CAUSES)[number];

/**
 * What becomes of a firing while the one before still runs. `skip`: it does not take place. `buffer-one`: the next one waits, others are
 * skipped. `buffer-all`: all wait. `cancel`: the running batch is stopped, then it takes place. `allow`: both run.
 */
export const OVERLAP_POLICIES = ['skip', 'buffer-one', 'buffer-all', 'cancel', 'allow'] as const;

/** One of {@link OVERLAP_POLICIES}. */
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];
