import { WorkflowFailedError, WorkflowNotFoundError, type ScheduleDescription } from '@temporalio/client';
import { exitOfView } from '../../batches/view-batch.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { parseScheduledRun, type ScheduledRun } from '../../inputs/scheduled-run.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { formatOccurrence, parseOccurrence, scheduledTimeOf } from '../../policy/occurrence.ts';
import type { ScheduleSpec } from '../../policy/schedule-spec.ts';
import { messageOf } from '../problem.ts';
import { askTemporal, handleOf, summariesOf, type SchedulePlace } from './place.ts';
import { decodeSpec, decodeTimes, decodeTimezone, timesInWords } from './spec-coding.ts';

/** A schedule in a list. */
export interface ScheduleLine {
  readonly name: string;
  /** `every 1d`, `cron 0 2 * * *` */
  readonly times: string;
  readonly timezone: string;
  readonly isPaused: boolean;
  /** Next firing, ms since 1970; undefined: never. Also set for a paused schedule. */
  readonly next: number | undefined;
  /** Name of the newest batch that it made. */
  readonly last: string | undefined;
  /** True if a worker for its account is there. Without one the schedule makes no batch. */
  readonly hasWorker: boolean;
}

/** All schedules of the ledger, by name. Throws {@link VoxbatchError} (`schedule-silent`). */
export async function listSchedules(place: SchedulePlace): Promise<readonly ScheduleLine[]> {
  const { ledger } = place;
  const summaries = await summariesOf(place);
  const batches = await ledger.listBatches();
  const lines: ScheduleLine[] = [];
  for (const { name, summary } of summaries) {
    const { spec = {}, state, info, memo = {} } = summary;
    lines.push({
      name,
      times: timesInWords(decodeTimes(spec)),
      timezone: decodeTimezone(spec),
      isPaused: state.paused,
      next: info.nextActionTimes[0]?.getTime(),
      last: batchesOf(batches, name)[0]?.name,
      hasWorker: await hasWorker(place, memo),
    });
  }
  return lines;
}

/** One scheduled time of a schedule, and what came of it. */
export interface OccurrenceView {
  /** The scheduled time, ms since 1970. */
  readonly at: number;
  /** Name of its batch, even if it made none. */
  readonly batch: string;
  /** `waiting`: no worker has taken it yet. `failed`: it made no batch; `reason` says why. */
  readonly state: 'waiting' | 'running' | 'ended' | 'failed';
  readonly reason?: string;
  /** State of its batch. */
  readonly exit?: ExitName;
  /** Credits that its batch was charged. */
  readonly charged?: number;
}

/** Details of a schedule. */
export interface ScheduleView {
  readonly name: string;
  readonly spec: ScheduleSpec;
  /** Undefined if another version created it. */
  readonly run: ScheduledRun | undefined;
  readonly isPaused: boolean;
  /** Why it is paused, or was resumed. */
  readonly note: string;
  /** The next ten firings, ms since 1970, jitter included. */
  readonly next: readonly number[];
  readonly hasWorker: boolean;
  /** Firings so far, triggers and backfills included, and those that did not take place. */
  readonly counts: { readonly taken: number; readonly missedCatchUp: number; readonly skippedOverlap: number };
  /** The latest ten and those that Temporal remembers, the newest first. */
  readonly occurrences: readonly OccurrenceView[];
}

const SHOWN_OCCURRENCES = 10;

/** Details of a schedule. Throws {@link VoxbatchError} (`no-schedule`, `schedule-silent`). */
export async function showSchedule(place: SchedulePlace, name: string): Promise<ScheduleView> {
  const found = await askTemporal(place, name, () => handleOf(place, name).describe());
  const { state, info, memo = {} } = found;
  return {
    name,
    spec: decodeSpec(found),
    run: runOf(found),
    isPaused: state.paused,
    note: state.note ?? '',
    next: info.nextActionTimes.map((time) => time.getTime()),
    hasWorker: await hasWorker(place, memo),
    counts: {
      taken: info.numActionsTaken,
      missedCatchUp: info.numActionsMissedCatchupWindow,
      skippedOverlap: info.numActionsSkippedOverlap,
    },
    occurrences: await occurrencesOf(place, name, found),
  };
}

/** What a schedule runs; undefined if another version created it. */
function runOf({ action }: Pick<ScheduleDescription, 'action'>): ScheduledRun | undefined {
  const [input] = (action.args ?? []) as readonly unknown[];
  return parseScheduledRun((input as { readonly run?: unknown } | undefined)?.run);
}

async function occurrencesOf(
  place: SchedulePlace,
  schedule: string,
  { info }: ScheduleDescription,
): Promise<readonly OccurrenceView[]> {
  const { ledger } = place;
  const views: OccurrenceView[] = [];
  const batches = batchesOf(await ledger.listBatches(), schedule).slice(0, SHOWN_OCCURRENCES);
  for (const batch of batches) {
    const [counts, { charged }] = [await ledger.counts(batch.name), await ledger.money(batch.name)];
    const at = parseOccurrence(batch.name)?.at ?? 0;
    const isOver = batch.state === 'closed';
    const exit = exitOfView({ batch, counts });
    views.push({ at, batch: batch.name, state: isOver ? 'ended' : 'running', exit, charged });
  }
  const known = new Set((await ledger.listBatches()).map(({ name }) => name));
  for (const { action } of info.recentActions) {
    const { workflowId } = action.workflow;
    const at = scheduledTimeOf(workflowId);
    const batch = at === undefined ? undefined : formatOccurrence({ schedule, at });
    if (at === undefined || batch === undefined || known.has(batch)) continue;
    known.add(batch);
    views.push({ at, batch, ...(await withoutBatch(place, workflowId)) });
  }
  return views.sort((one, other) => other.at - one.at);
}

/** What became of a firing that made no batch, or none yet. Temporal forgets it after its retention period. */
async function withoutBatch(
  place: SchedulePlace,
  workflowId: string,
): Promise<Pick<OccurrenceView, 'state' | 'reason'>> {
  const handle = place.temporal.client.workflow.getHandle(workflowId);
  return askTemporal(place, undefined, async () => {
    try {
      if ((await handle.describe()).status.name === 'RUNNING') return { state: 'waiting' };
      await handle.result();
      return { state: 'failed', reason: 'Its batch is no longer in the ledger.' };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return { state: 'failed', reason: 'Temporal has forgotten why.' };
      if (!(error instanceof WorkflowFailedError)) throw error;
      return { state: 'failed', reason: messageOf(error.cause ?? error) };
    }
  });
}

/** The batches that a schedule made, the newest occurrence first. */
function batchesOf(batches: readonly BatchRecord[], schedule: string): readonly BatchRecord[] {
  return batches
    .filter(({ name }) => parseOccurrence(name)?.schedule === schedule)
    .sort((one, other) => (one.name < other.name ? 1 : -1));
}

async function hasWorker({ ledger }: SchedulePlace, memo: Readonly<Record<string, unknown>>): Promise<boolean> {
  const { apiUrl, account } = memo;
  return (await ledger.livingWorkers(String(apiUrl), String(account))).length > 0;
}
