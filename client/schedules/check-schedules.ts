import { isAmiss } from '../../policy/schedules/missing-occurrence.ts';
import { VoxbatchError } from '../problem.ts';
import { showSchedule } from './look-at-schedules.ts';
import type { OccurrenceView } from './occurrence-views.ts';
import type { SchedulePlace } from './place.ts';

/** An occurrence, and whether somebody should look after it. */
export interface CheckedOccurrence extends OccurrenceView {
  readonly isAmiss: boolean;
}

/** What became of a schedule's occurrences. `lost`: it was made here, and Temporal does not know it. */
export type ScheduleCheck =
  | {
      readonly type: 'found';
      readonly name: string;
      readonly timezone: string;
      readonly isPaused: boolean;
      readonly hasWorker: boolean;
      /** The newest first. */
      readonly occurrences: readonly CheckedOccurrence[];
    }
  | { readonly type: 'lost'; readonly name: string };

/** Which schedules are checked, and how far back. */
export interface CheckRequest {
  /** Default: all. */
  readonly name?: string | undefined;
  /** Occurrences that were scheduled for this time or later, ms since 1970. */
  readonly since: number;
  /** What a pause by hand skipped is in order. Default false. */
  readonly isPauseFine?: boolean | undefined;
  /** Nobody was there before this look: a worker on record was killed moments ago. Default false. */
  readonly isDeserted?: boolean | undefined;
}

/**
 * What became of all occurrences since a time, also of those that nobody was there to fire. Throws {@link VoxbatchError} (`no-schedule`,
 * `schedule-silent`).
 */
export async function checkSchedules(
  place: SchedulePlace,
  { name, ...how }: CheckRequest,
): Promise<readonly ScheduleCheck[]> {
  const known = (await place.ledger.knownSchedules()).map((schedule) => schedule.name);
  const names = name === undefined ? known : [name];
  const checks: ScheduleCheck[] = [];
  for (const one of names) checks.push(await checkSchedule(place, one, how, known.includes(one)));
  return checks;
}

async function checkSchedule(
  place: SchedulePlace,
  name: string,
  { since, isPauseFine, isDeserted = false }: Omit<CheckRequest, 'name'>,
  isKnown: boolean,
): Promise<ScheduleCheck> {
  try {
    const { spec, isPaused, occurrences, ...view } = await showSchedule(place, name, { from: since });
    const hasWorker = view.hasWorker && !isDeserted;
    const checked = occurrences.map((one) => ({ ...one, isAmiss: isAmiss(one, { hasWorker, isPauseFine }) }));
    return { type: 'found', name, timezone: spec.timezone, isPaused, hasWorker, occurrences: checked };
  } catch (error) {
    if (!isKnown || !(error instanceof VoxbatchError) || error.problem.type !== 'no-schedule') throw error;
    return { type: 'lost', name };
  }
}

/** True if a schedule is as it should be. */
export function isInOrder(check: ScheduleCheck): boolean {
  return check.type === 'found' && check.occurrences.every((one) => !one.isAmiss);
}
