import {
  isGrpcServiceError,
  ScheduleNotFoundError,
  ServiceError,
  type ScheduleDescription,
  type ScheduleHandle,
} from '@temporalio/client';
import { scheduleIdOf } from '../../contract/schedule.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { inTime } from '../temporal/in-time.ts';
import type { Temporal } from '../temporal/open-temporal.ts';
import { VoxbatchError } from '../problem.ts';

/** Where schedules are kept, and the records of the batches that they make. */
export interface SchedulePlace {
  readonly temporal: Pick<Temporal, 'client' | 'namespace'>;
  readonly ledger: Ledger;
}

/** If Temporal has not answered within this time, it is not available now, ms. */
const ANSWER_TIMEOUT_MS = 30_000;

/** gRPC's codes for an invalid request, and for something that the server does not know. */
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;

/**
 * Queries Temporal about one schedule, or all. Throws {@link VoxbatchError} (`no-schedule`, `schedule-refused`,
 * `schedule-silent`).
 */
export async function askTemporal<T>(
  place: SchedulePlace,
  schedule: string | undefined,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await inTime(place.temporal.client, ANSWER_TIMEOUT_MS, ask);
  } catch (error) {
    const answer = error instanceof ServiceError ? error.cause : error;
    const code = isGrpcServiceError(answer) ? (answer.code as number) : undefined;
    if (schedule !== undefined && (error instanceof ScheduleNotFoundError || code === NOT_FOUND)) {
      const known = (await place.ledger.knownSchedules()).map(({ name }) => name);
      throw new VoxbatchError({ type: 'no-schedule', schedule, known });
    }
    if (code === undefined || !isGrpcServiceError(answer)) throw error;
    if (code === INVALID_ARGUMENT && schedule !== undefined) {
      throw new VoxbatchError({ type: 'schedule-refused', schedule, cause: answer });
    }
    throw new VoxbatchError({ type: 'schedule-silent', schedule, cause: answer });
  }
}

/** A schedule as Temporal has it. Throws {@link VoxbatchError} (`no-schedule`, `schedule-silent`). */
export function describe(place: SchedulePlace, name: string): Promise<ScheduleDescription> {
  return askTemporal(place, name, () => handleOf(place, name).describe());
}

/** A schedule as Temporal has it; undefined if Temporal does not know it. Throws {@link VoxbatchError} (`schedule-silent`). */
export async function describeIfThere(place: SchedulePlace, name: string): Promise<ScheduleDescription | undefined> {
  try {
    return await describe(place, name);
  } catch (error) {
    if (error instanceof VoxbatchError && error.problem.type === 'no-schedule') return undefined;
    throw error;
  }
}

/** The handle of a schedule. Makes no call yet. */
export function handleOf({ temporal, ledger }: SchedulePlace, schedule: string): ScheduleHandle {
  return temporal.client.schedule.getHandle(scheduleIdOf(ledger.id, schedule));
}

/**
 * Schedules that Temporal has under this ledger's id, and the ledger does not know: somebody else made them, or the ledger is older than they are.
 * None of them can fire. From Temporal's list, which may be a moment behind. Throws {@link VoxbatchError} (`schedule-silent`).
 */
export async function strangersIn(place: SchedulePlace): Promise<readonly string[]> {
  const prefix = scheduleIdOf(place.ledger.id, '');
  const names: string[] = [];
  await askTemporal(place, undefined, async () => {
    for await (const { scheduleId } of place.temporal.client.schedule.list()) {
      if (scheduleId.startsWith(prefix)) names.push(scheduleId.slice(prefix.length));
    }
  });
  const known = new Set((await place.ledger.knownSchedules()).map(({ name }) => name));
  return names.filter((name) => !known.has(name)).sort();
}
