import { ScheduleAlreadyRunning, type ScheduleOptionsAction } from '@temporalio/client';
import { isBatchName } from '../../contract/batch-name.ts';
import { WORKFLOW_TASK_TIMEOUT } from '../../contract/messages.ts';
import { taskQueueOf, type Realm } from '../../contract/names.ts';
import { FIRE_SCHEDULE, scheduleIdOf, type FireScheduleInput, type ScheduleHooks } from '../../contract/schedule.ts';
import type { ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import { LONGEST_SCHEDULE_NAME } from '../../policy/schedules/occurrence.ts';
import { readScheduleSpec, type ScheduleSpec, type WrittenSpec } from '../../policy/schedules/schedule-spec.ts';
import { VoxbatchError } from '../problem.ts';
import { askTemporal, describeIfThere, type SchedulePlace } from './place.ts';
import { encodeSpec } from './spec-coding.ts';

/** A schedule to create. */
export interface NewSchedule {
  readonly name: string;
  readonly spec: ScheduleSpec;
  readonly run: ScheduledRun;
  /** Kept in the ledger only. Default: none. */
  readonly hooks?: Partial<ScheduleHooks>;
  /** Whose money it spends. */
  readonly realm: Pick<Realm, 'apiUrl' | 'account'>;
}

/**
 * Creates a schedule. Nothing is spent before it fires. Throws {@link VoxbatchError} (`schedule-taken`,
 * `schedule-refused`, `schedule-silent`).
 */
export async function createSchedule(place: SchedulePlace, schedule: NewSchedule): Promise<void> {
  const { name, spec, run, hooks = {}, realm } = schedule;
  const { ledger, temporal } = place;
  const scheduleId = scheduleIdOf(ledger.id, name);
  const { apiUrl, account } = realm;
  const { remainingActions, ...encoded } = encodeSpec(spec);
  const isKnown = (await ledger.knownSchedules()).some((known) => known.name === name);
  // One that is there stays as it is. One that Temporal has lost is made anew.
  const isThere = isKnown && (await describeIfThere(place, name)) !== undefined;
  if (isThere) throw new VoxbatchError({ type: 'schedule-taken', schedule: name });
  try {
    // What was asked for before Temporal lost it is as lost.
    if (isKnown) await ledger.pauseFirings(name, Date.now(), '');
    // First: it may fire at once.
    await ledger.settleSchedule(name, { run, spec, apiUrl, account }, Date.now());
    await ledger.setScheduleHooks(name, { onEnd: null, notify: null, ...hooks });
    // One that is made anew was perhaps paused.
    if (isKnown) await ledger.resumeFirings(name, Date.now(), '');
    await askTemporal(place, name, () =>
      temporal.client.schedule.create({
        scheduleId,
        ...encoded,
        ...(remainingActions === undefined ? {} : { state: { remainingActions } }),
        action: firingOf(ledger.id, name, realm),
      }),
    );
  } catch (error) {
    const isTaken = error instanceof ScheduleAlreadyRunning;
    const isRefused = isTaken || (error instanceof VoxbatchError && error.problem.type === 'schedule-refused');
    // A server that did not answer may have made it, and then it fires.
    if (!isKnown && isRefused) await ledger.forgetSchedule(name);
    if (isTaken) throw new VoxbatchError({ type: 'schedule-taken', schedule: name });
    throw error;
  }
}

/** What Temporal starts each time a schedule fires. */
export function firingOf(
  ledgerId: string,
  schedule: string,
  realm: Pick<Realm, 'apiUrl' | 'account'>,
): ScheduleOptionsAction {
  const input: FireScheduleInput = { schedule };
  return {
    type: 'startWorkflow',
    workflowType: FIRE_SCHEDULE,
    workflowId: scheduleIdOf(ledgerId, schedule),
    taskQueue: taskQueueOf({ ...realm, ledgerId }),
    args: [input],
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
  };
}

/**
 * Throws {@link VoxbatchError} (`bad-option`) for a text that cannot name a schedule: with a time after it, it names a
 * batch.
 */
export function checkScheduleName(name: string): void {
  if (isBatchName(name) && name.length <= LONGEST_SCHEDULE_NAME && /[\p{L}\p{M}\p{N}_-]$/u.test(name)) return;
  const expected = `at most ${LONGEST_SCHEDULE_NAME} letters, digits, spaces, dots, dashes and underscores, with a letter or digit at both ends`;
  throw new VoxbatchError({ type: 'bad-option', option: 'name', expected, came: JSON.stringify(name).slice(0, 100) });
}

/**
 * Parses the written parts of a spec; absent parts are as in `before`, or their default. `nameOf` gives the name of an
 * option for messages. Throws {@link VoxbatchError} (`bad-option`).
 */
export function requireSpec(
  written: WrittenSpec,
  nameOf: (option: keyof WrittenSpec) => string,
  before?: ScheduleSpec,
): ScheduleSpec {
  const read = readScheduleSpec(written, before);
  if (read.type === 'read') return read.spec;
  const { option, expected, came } = read;
  throw new VoxbatchError({ type: 'bad-option', option: nameOf(option), expected, came });
}
