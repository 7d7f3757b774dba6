import { isNotFound } from '../../embedded/grpc-errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Settings } from '../settings.ts';
import { inTime, reachWorker, type Temporal } from '../temporal/open-temporal.ts';
import { handleOf } from './open-schedules.ts';
import { headInTemporal } from './recorded-view.ts';

/** A schedule as Temporal has it; times in UTC. */
export interface ScheduleStanding {
  readonly schedule: string;
  readonly paused: boolean;
  /** Why it is paused, or was resumed; empty: nobody said. */
  readonly note: string;
  /** Null if it never fires again, or is paused. */
  readonly next: string | null;
  /** It could fire again, but Temporal does not know it. */
  readonly lost: boolean;
}

/** A person looks meanwhile at what is on record, ms. */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * How the schedules of a ledger stand in Temporal; undefined where no embedded server runs. Starts none, and records
 * nothing. Throws {@link VoxbatchError} (`no-cluster` …), and what the client of Temporal throws.
 */
export async function readScheduleStates(
  settings: Settings,
  ledger: Ledger,
): Promise<readonly ScheduleStanding[] | undefined> {
  const temporal = await reachWorker(settings, () => undefined);
  if (temporal === undefined) return undefined;
  try {
    const standings: ScheduleStanding[] = [];
    for (const name of await ledger.knownSchedules()) {
      const standing = await standingIn(temporal, ledger, name);
      if (standing !== undefined) standings.push(standing);
    }
    return standings;
  } finally {
    await temporal.close();
  }
}

async function standingIn(temporal: Temporal, ledger: Ledger, name: string): Promise<ScheduleStanding | undefined> {
  const record = await ledger.scheduleRecord(name);
  if (record === undefined) return undefined;
  const found = await inTime(temporal.client, ANSWER_TIMEOUT_MS, () =>
    handleOf({ temporal, ledger }, name).describe(),
  ).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const { schedule, paused, note, next, lost } = (await headInTemporal(ledger, record, found)).head;
  return { schedule, paused, note, next, lost };
}
