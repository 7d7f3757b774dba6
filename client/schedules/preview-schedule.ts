import { scheduleIdOf } from '../../contract/schedule.ts';
import { INSTANT_FORM, parseInstant } from '../../policy/schedules/schedule-spec.ts';
import { VoxbatchError } from '../problem.ts';
import { askTemporal, type SchedulePlace } from './place.ts';

/** A stretch of time, ms since 1970, both ends included. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Start and end of a range as they are written on a command line. */
export interface WrittenRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Reads a range. `nameOf` gives the name of an option for messages. Throws {@link VoxbatchError} (`bad-option`). */
export function requireRange(written: WrittenRange, nameOf: (option: keyof WrittenRange) => string): TimeRange {
  const refuse = (option: keyof WrittenRange, expected: string): never => {
    throw new VoxbatchError({
      type: 'bad-option',
      option: nameOf(option),
      expected,
      came: written[option] ?? 'nothing',
    });
  };
  const timeOf = (option: keyof WrittenRange): number =>
    parseInstant(written[option] ?? '') ?? refuse(option, INSTANT_FORM);
  const range = { from: timeOf('from'), to: timeOf('to') };
  return range.to < range.from ? refuse('to', `a time that is not before ${nameOf('from')}`) : range;
}

/** Temporal gives so many times at once. */
export const MOST_PREVIEWED = 1_000;

/**
 * The times in a range at which a schedule fires, jitter included, as Temporal computes them: at most
 * {@link MOST_PREVIEWED}. Ignores whether it is paused. Throws {@link VoxbatchError} (`no-schedule`, `schedule-silent`).
 */
export async function previewSchedule(
  place: SchedulePlace,
  name: string,
  { from, to }: TimeRange,
): Promise<readonly number[]> {
  const { client, namespace } = place.temporal;
  // Temporal excludes the start of the range.
  const request = {
    namespace,
    scheduleId: scheduleIdOf(place.ledger.id, name),
    startTime: stampOf(from - 1_000),
    endTime: stampOf(to),
  };
  const { startTime } = await askTemporal(place, name, () => client.workflowService.listScheduleMatchingTimes(request));
  return startTime
    .map(({ seconds, nanos }) => Number(seconds ?? 0) * 1_000 + Math.floor((nanos ?? 0) / 1e6))
    .filter((at) => at >= from && at <= to);
}

function stampOf(at: number): { seconds: Long; nanos: number } {
  return { seconds: Math.floor(at / 1_000) as unknown as Long, nanos: (at % 1_000) * 1e6 };
}
