import type { ScheduleDescription, ScheduleHandle } from '@temporalio/client';
import type { By } from '../../contract/actions.ts';
import { scheduleIdOf } from '../../contract/schedule.ts';
import { GRPC, grpcErrorIn, hasCode, isNotFound } from '../../embedded/grpc-errors.ts';
import { ServerUnavailable } from '../../embedded/server-unavailable.ts';
import { findUp } from '../../embedded/up-claim.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ScheduleRecord } from '../../ledger/schedules/schedule-settings.ts';
import { byPerson } from '../history/by-person.ts';
import { VoxbatchError } from '../problem.ts';
import type { Session } from '../session.ts';
import type { Settings } from '../settings.ts';
import { isHomeInUse } from '../temporal/home-processes.ts';
import { requireOwnServer, requireOwnCluster } from '../temporal/require-server.ts';
import { withTimeout, openTemporal, type Temporal } from '../temporal/open-temporal.ts';

/** Temporal, which fires schedules, and the ledger, which records them and their batches. */
export interface SchedulePlace {
  readonly temporal: Pick<Temporal, 'client' | 'namespace'>;
  readonly ledger: Ledger;
  /** Who acts on them, for the record. Default: voxbatch itself. */
  readonly by?: By;
}

/** The schedules of a session, open for a command. */
export interface OpenSchedules extends SchedulePlace {
  readonly settings: Settings;
  readonly around: Surroundings;
}

/**
 * Who worked in the home before this command opened Temporal, which starts an embedded server while the command runs.
 */
export interface Surroundings {
  readonly isCluster: boolean;
  /** Embedded: no process worked in the home, so no schedule fires. */
  readonly isDeserted: boolean;
  /** Embedded: `voxbatch up` runs in the home. */
  readonly hasUp: boolean;
}

/**
 * Opens Temporal for work on the schedules of a session's ledger, and closes it afterwards. Starts no worker. Throws
 * {@link VoxbatchError} (`no-ledger`, `no-server`, `no-cluster`, `ledger-in-use` …). `reason`: why, for the record.
 */
export async function withSchedules<T>(
  session: Session,
  say: (line: string) => void,
  work: (schedules: OpenSchedules) => Promise<T>,
  reason?: string,
): Promise<T> {
  const { settings } = session;
  const ledger = await session.ledger();
  // Checked before an embedded server is started: if workers of another server use the ledger, the schedules are there.
  if (settings.cluster === undefined) await requireOwnServer(settings, ledger);
  // Read before Temporal is opened, which makes this command one of the processes in the home.
  const around = readSurroundings(settings);
  const temporal = await openTemporal(settings, { say });
  try {
    if (!temporal.isEmbedded) await requireOwnCluster(temporal, ledger);
    return await work({ temporal, ledger, settings, around, by: byPerson(settings, reason) });
  } finally {
    await temporal.close();
  }
}

/** Finds out who works in the home. Starts nothing. */
export function readSurroundings({ home, cluster }: Pick<Settings, 'home' | 'cluster'>): Surroundings {
  if (cluster !== undefined) return { isCluster: true, isDeserted: false, hasUp: false };
  try {
    return { isCluster: false, isDeserted: !isHomeInUse(home), hasUp: findUp(home).type !== 'none' };
  } catch (error) {
    // The home's locks cannot be read, which opening the server reports.
    if (!(error instanceof ServerUnavailable)) throw error;
    return { isCluster: false, isDeserted: false, hasUp: false };
  }
}

/** True if no worker makes batches when schedules fire. A worker that was just killed counts for some seconds. */
export function lacksWorker(hasWorker: boolean, { isDeserted }: Surroundings): boolean {
  return isDeserted || !hasWorker;
}

/** If Temporal has not answered within this time, it is not available now, ms. */
const ANSWER_TIMEOUT_MS = 30_000;

/**
 * Queries Temporal about one schedule, or all. Throws {@link VoxbatchError} (`no-schedule`, `schedule-lost`,
 * `schedule-refused`, `schedule-silent`).
 */
export async function askTemporal<T>(
  place: SchedulePlace,
  schedule: string | undefined,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await withTimeout(place.temporal.client, ANSWER_TIMEOUT_MS, ask);
  } catch (error) {
    if (schedule !== undefined && isNotFound(error)) throw await noSchedule(place, schedule);
    const answer = grpcErrorIn(error);
    if (answer === undefined) throw error;
    if (hasCode(answer, GRPC.INVALID_ARGUMENT) && schedule !== undefined) {
      throw new VoxbatchError({ type: 'schedule-refused', schedule, cause: answer });
    }
    throw new VoxbatchError({ type: 'schedule-silent', schedule, cause: answer });
  }
}

async function noSchedule({ ledger }: SchedulePlace, schedule: string): Promise<VoxbatchError> {
  const known = await ledger.knownSchedules();
  return new VoxbatchError(
    known.includes(schedule) ? { type: 'schedule-lost', schedule } : { type: 'no-schedule', schedule, known },
  );
}

/** Whether an error says that Temporal does not have the schedule, whether or not the ledger has it. */
export function isUnknownThere(error: unknown): boolean {
  return error instanceof VoxbatchError && ['no-schedule', 'schedule-lost'].includes(error.problem.type);
}

/** The handle of a schedule. Makes no call yet. */
export function handleOf({ temporal, ledger }: SchedulePlace, schedule: string): ScheduleHandle {
  return temporal.client.schedule.getHandle(scheduleIdOf(ledger.id, schedule));
}

/** A schedule as Temporal has it. Throws {@link VoxbatchError} (`no-schedule`, `schedule-lost`, `schedule-silent`). */
export function describe(place: SchedulePlace, name: string): Promise<ScheduleDescription> {
  return askTemporal(place, name, () => handleOf(place, name).describe());
}

/**
 * A schedule as Temporal has it; undefined if Temporal does not know it. Throws {@link VoxbatchError}
 * (`schedule-silent`).
 */
export async function describeIfThere(place: SchedulePlace, name: string): Promise<ScheduleDescription | undefined> {
  try {
    return await describe(place, name);
  } catch (error) {
    if (isUnknownThere(error)) return undefined;
    throw error;
  }
}

/**
 * Lists the schedules that Temporal has under this ledger's id and that the ledger lacks: somebody else created them,
 * or the ledger is a copy (a restored backup) from before. Their firings make no batches. Throws {@link VoxbatchError}
 * (`schedule-silent`).
 */
export async function unknownSchedulesIn(place: SchedulePlace): Promise<readonly string[]> {
  const prefix = scheduleIdOf(place.ledger.id, '');
  const names: string[] = [];
  await askTemporal(place, undefined, async () => {
    for await (const { scheduleId } of place.temporal.client.schedule.list()) {
      if (scheduleId.startsWith(prefix)) names.push(scheduleId.slice(prefix.length));
    }
  });
  const known = await place.ledger.knownSchedules();
  const unknown: string[] = [];
  for (const name of names.sort()) {
    // The list may still name a schedule that was just deleted.
    if (!known.includes(name) && (await describeIfThere(place, name)) !== undefined) unknown.push(name);
  }
  return unknown;
}

/** Reads a schedule's record. Throws {@link VoxbatchError} (`no-schedule`) if the ledger lacks it. */
export async function requireRecord(place: SchedulePlace, name: string): Promise<ScheduleRecord> {
  const record = await place.ledger.scheduleRecord(name);
  if (record === undefined) throw await noSchedule(place, name);
  return record;
}
