import { isAmiss } from '../../policy/schedules/missing-occurrence.ts';
import { VoxbatchError } from '../problem.ts';
import { showSchedule } from './look-at-schedules.ts';
import type { OccurrenceView } from './occurrence-views.ts';
import type { OpenSchedules } from './open-schedules.ts';

/** What became of a schedule's occurrences. `lost`: it was made here, and Temporal does not know it. */
export type ScheduleCheck =
  | {
      /** Its name. */
      readonly schedule: string;
      readonly lost: false;
      readonly timezone: string;
      readonly paused: boolean;
      readonly worker: boolean;
      /** The newest first. `amiss`: somebody should look after it. */
      readonly occurrences: readonly (OccurrenceView & { readonly amiss: boolean })[];
    }
  | { readonly schedule: string; readonly lost: true };

/** What became of all schedules. */
export interface ChecksView {
  readonly inOrder: boolean;
  readonly schedules: readonly ScheduleCheck[];
}

/** Which schedules are checked, and how far back. */
export interface CheckRequest {
  /** Default: all. */
  readonly name?: string | undefined;
  /** Occurrences that were scheduled for this time or later, ms since 1970. */
  readonly since: number;
  /** What a pause by hand skipped is in order. Default false. */
  readonly isPauseFine?: boolean | undefined;
}

/**
 * What became of all occurrences since a time, also of those that nobody was there to fire. Throws {@link VoxbatchError} (`no-schedule`,
 * `schedule-silent`).
 */
export async function checkSchedules(
  place: OpenSchedules,
  { name, since, isPauseFine }: CheckRequest,
): Promise<ChecksView> {
  const known = (await place.ledger.knownSchedules()).map((schedule) => schedule.name);
  const schedules: ScheduleCheck[] = [];
  for (const one of name === undefined ? known : [name]) {
    schedules.push(
      await checkSchedule(place, one, { since, isPauseFine }).catch((error: unknown): ScheduleCheck => {
        const isLost = error instanceof VoxbatchError && error.problem.type === 'no-schedule' && known.includes(one);
        if (!isLost) throw error;
        return { schedule: one, lost: true };
      }),
    );
  }
  return { inOrder: schedules.every((one) => !one.lost && one.occurrences.every(({ amiss }) => !amiss)), schedules };
}

async function checkSchedule(
  place: OpenSchedules,
  schedule: string,
  { since, isPauseFine }: Omit<CheckRequest, 'name'>,
): Promise<ScheduleCheck> {
  const { timezone, paused, occurrences, ...view } = (await showSchedule(place, schedule, { from: since })).view;
  // A worker on record may have been killed moments ago.
  const hasWorker = view.worker && !place.around.isDeserted;
  const checked = occurrences.map((one) => ({ ...one, amiss: isAmiss(one, { hasWorker, isPauseFine }) }));
  return { schedule, lost: false, timezone, paused, worker: hasWorker, occurrences: checked };
}
