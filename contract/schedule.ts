import { TUNABLE_NAMES, TUNABLES, type TunableName, type TunableValues } from './tunables.ts';
import { utcSecond } from './times.ts';

/**
 * Schedules: Temporal fires each by starting a workflow, whose occurrence becomes a batch. This is the contract between
 * a schedule and its firings: names in Temporal, a firing's input, and why an occurrence was skipped.
 */

/** The workflow that a schedule starts. */
export const FIRE_SCHEDULE = 'fireSchedule';

/**
 * Temporal's input to each firing of a schedule. It holds only a name, because Temporal records it and anyone who can
 * reach Temporal can supply another; what the schedule runs is in the ledger. Firings started by earlier versions have
 * more members, which are ignored.
 */
export interface FireScheduleInput {
  /** Name of the schedule. */
  readonly schedule: string;
}

/**
 * Returns the id of a schedule in Temporal, which is also the prefix of its workflow ids. A batch's workflow id never
 * equals one of those, because it has no colon.
 */
export function scheduleIdOf(ledgerId: string, schedule: string): string {
  return `voxbatch ${ledgerId} ${schedule}`;
}

/**
 * Returns the id of the workflow that a schedule starts for a time. Temporal appends that time to the schedule's id.
 * `at`: ms since 1970.
 */
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

/** A schedule's hooks, stored in the ledger and passed to each of its batches; each is null if unset. */
export type ScheduleHooks = Pick<TunableValues, 'onEnd' | 'notify'>;

/**
 * Why an occurrence was skipped. `overlap`: the previous batch was still running. `paused`: the user had paused the
 * schedule. `paused-on-failure`: it had paused itself. `missed`: nothing could fire it within its catch-up window.
 * `month-budget`: it fired, but the rest of the month's budget does not cover a single row.
 */
export const SKIP_CAUSES = ['overlap', 'paused', 'paused-on-failure', 'missed', 'month-budget'] as const;

/** One of {@link SKIP_CAUSES}. */
export type SkipCause = (typeof SKIP_CAUSES)[number];

/**
 * How to handle a firing while the previous one is still running. `skip`: skip it. `buffer-one`: queue one and skip the
 * rest. `buffer-all`: queue all. `cancel`: stop the running batch, then run it. `allow`: run both.
 */
export const OVERLAP_POLICIES = ['skip', 'buffer-one', 'buffer-all', 'cancel', 'allow'] as const;

/** One of {@link OVERLAP_POLICIES}. */
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];
