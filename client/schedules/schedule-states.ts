import { isNotFound } from '../../embedded/grpc-errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Settings } from '../settings.ts';
import { withTimeout, reachWorker, type Temporal } from '../temporal/open-temporal.ts';
import { handleOf } from './open-schedules.ts';
import { headInTemporal } from './recorded-view.ts';

/** The state of a schedule in Temporal; times in UTC. */
export interface ScheduleState {
  readonly schedule: string;
  readonly paused: boolean;
  /** Why it is paused, or was resumed; empty if no reason was given. */
  readonly note: string;
  /** Null if it never fires again, or is paused. */
  readonly next: string | null;
  /** It could fire again, but Temporal does not know it. */
  readonly lost: boolean;
}

/** Timeout of a query to Temporal, ms: short, because the page shows the schedules without it meanwhile. */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Reads the states of a ledger's schedules from Temporal; undefined if no embedded server is running. Starts none, and
 * records nothing. Throws {@link VoxbatchError} (`no-cluster` and others of `openTemporal`), and the errors of
 * Temporal's client.
 */
export async function readScheduleStates(
  settings: Settings,
  ledger: Ledger,
): Promise<readonly ScheduleState[] | undefined> {
  const temporal = await reachWorker(settings, () => undefined);
  if (temporal === undefined) return undefined;
  try {
    const states: ScheduleState[] = [];
    for (const name of await ledger.knownSchedules()) {
      const state = await readState(temporal, ledger, name);
      if (state !== undefined) states.push(state);
    }
    return states;
  } finally {
    await temporal.close();
  }
}

async function readState(temporal: Temporal, ledger: Ledger, name: string): Promise<ScheduleState | undefined> {
  const record = await ledger.scheduleRecord(name);
  if (record === undefined) return undefined;
  const found = await withTimeout(temporal.client, ANSWER_TIMEOUT_MS, () =>
    handleOf({ temporal, ledger }, name).describe(),
  ).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const { schedule, paused, note, next, lost } = (await headInTemporal(ledger, record, found)).head;
  return { schedule, paused, note, next, lost };
}
