import {
  isGrpcServiceError,
  ScheduleNotFoundError,
  ServiceError,
  type ScheduleHandle,
  type ScheduleSummary,
} from '@temporalio/client';
import { scheduleIdOf } from '../../contract/schedule.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { inTime } from '../in-time.ts';
import type { Temporal } from '../open-temporal.ts';
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
      const known = (await summariesOf(place)).map(({ name }) => name);
      throw new VoxbatchError({ type: 'no-schedule', schedule, known });
    }
    if (code === undefined || !isGrpcServiceError(answer)) throw error;
    if (code === INVALID_ARGUMENT && schedule !== undefined) {
      throw new VoxbatchError({ type: 'schedule-refused', schedule, cause: answer });
    }
    throw new VoxbatchError({ type: 'schedule-silent', schedule, cause: answer });
  }
}

/** The handle of a schedule. Makes no call yet. */
export function handleOf({ temporal, ledger }: SchedulePlace, schedule: string): ScheduleHandle {
  return temporal.client.schedule.getHandle(scheduleIdOf(ledger.id, schedule));
}

/** All schedules of this ledger, from Temporal's list, which may be a moment behind. */
export async function summariesOf(place: SchedulePlace): Promise<readonly Summary[]> {
  const prefix = scheduleIdOf(place.ledger.id, '');
  const found: Summary[] = [];
  await askTemporal(place, undefined, async () => {
    for await (const summary of place.temporal.client.schedule.list()) {
      if (summary.scheduleId.startsWith(prefix)) found.push({ name: summary.scheduleId.slice(prefix.length), summary });
    }
  });
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}

interface Summary {
  readonly name: string;
  readonly summary: ScheduleSummary;
}
