import { setTimeout as sleep } from 'node:timers/promises';
import type { ScheduleDescription } from '@temporalio/client';
import { shellWord } from '../../contract/shell-word.ts';
import { parseMonthBudget, parseScheduledRun, type ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import { labelOfPlace } from '../../inputs/manifest-url.ts';
import type { ScheduleRecord, ScheduleSettings } from '../../ledger/schedules/schedule-records.ts';
import { VoxbatchError } from '../problem.ts';
import { describeIfThere, type SchedulePlace } from './place.ts';
import { decodeSpec } from './spec-coding.ts';

/**
 * Takes the settings of schedules that an earlier version made over from Temporal, where they lay, into the ledger: once, because from then on the ledger alone
 * counts. What somebody changed in Temporal since this ledger was opened by a version that keeps them is not taken over; nor is a schedule that the
 * ledger does not know. Tells of each. Throws {@link VoxbatchError} (`schedule-silent`).
 */
export async function adoptSettings(place: SchedulePlace, say: (line: string) => void): Promise<void> {
  const { ledger } = place;
  for (const { name, isLegacy } of await ledger.knownSchedules()) {
    const record = isLegacy ? await ledger.scheduleRecord(name) : undefined;
    const found = record === undefined ? undefined : await describeIfThere(place, name);
    if (record !== undefined && found !== undefined) say(await adopt(place, record, found));
  }
}

/** How soon a Temporal that did not answer is asked again, ms. */
const ASKED_AGAIN_MS = 30_000;

/**
 * The same for a worker, which goes on with its batches if Temporal does not answer. Resolves when it was asked once; if that was in vain, it is asked
 * again until the signal aborts, and the firings of such schedules wait. `onFault`: called with any other error of a later time.
 */
export async function adoptOnceHeard(
  place: SchedulePlace,
  say: (line: string) => void,
  { signal, onFault, pauseMs = ASKED_AGAIN_MS }: AdoptionRequest,
): Promise<void> {
  if (await isHeard(place, say)) return;
  const goOn = async (): Promise<void> => {
    do await sleep(pauseMs, undefined, { signal });
    while (!(await isHeard(place, say)));
  };
  goOn().catch((error: unknown) => {
    if (!signal.aborted) onFault(error as Error);
  });
}

interface AdoptionRequest {
  readonly signal: AbortSignal;
  readonly onFault: (error: Error) => void;
  readonly pauseMs?: number;
}

async function isHeard(place: SchedulePlace, say: (line: string) => void): Promise<boolean> {
  try {
    await adoptSettings(place, say);
    return true;
  } catch (error) {
    if (error instanceof VoxbatchError && error.problem.type === 'schedule-silent') return false;
    throw error;
  }
}

/** Returns what is to be told. */
async function adopt(
  { ledger }: SchedulePlace,
  { name: schedule, legacyUntil }: ScheduleRecord,
  found: ScheduleDescription,
): Promise<string> {
  const { createdAt, lastUpdatedAt = createdAt } = found.info;
  const isChanged = lastUpdatedAt.getTime() > (legacyUntil ?? 0);
  const settings = isChanged ? undefined : settingsIn(found);
  if (settings === undefined) {
    await ledger.declineSettings(schedule);
    return refused(schedule, isChanged ? 'they were changed there since the upgrade' : 'this version cannot read them');
  }
  const now = Date.now();
  const { run, spec } = settings;
  // First: firings may be under way. The runs that are left are counted from now on.
  const before = { ...spec, runs: null };
  await ledger.allowFirings(schedule, { kind: 'due', from: createdAt.getTime(), until: now, spec: before });
  await ledger.settleSchedule(schedule, settings, now);
  if (found.state.paused) await ledger.pauseFirings(schedule, now, found.state.note ?? '');
  // What is told was written by whoever could reach Temporal: it is quoted, so that it cannot steer a terminal.
  const [manifest, folder] = [labelOfPlace(run.manifest), run.outFolder].map((place) => JSON.stringify(place));
  return (
    `The settings of schedule "${schedule}" have moved from Temporal into the ledger, and only the ledger counts from now on. It runs ` +
    `${String(manifest)} and writes to ${String(folder)}. If that is not what you set up, delete it: voxbatch schedule delete ${shellWord(schedule)}`
  );
}

function refused(schedule: string, why: string): string {
  return (
    `The settings of schedule "${schedule}" lie in Temporal, and do not move into the ledger: ${why}. It cannot fire. ` +
    `Make it again: voxbatch schedule delete ${shellWord(schedule)}, then voxbatch schedule create`
  );
}

/** The settings of a schedule as earlier versions wrote them to Temporal; undefined if they are no such. */
function settingsIn(found: ScheduleDescription): (ScheduleSettings & { readonly run: ScheduledRun }) | undefined {
  const [input] = (found.action.args ?? []) as readonly unknown[];
  const { run: written, month: limit } = (input ?? {}) as { readonly run?: unknown; readonly month?: unknown };
  const run = parseScheduledRun(written);
  const month = parseMonthBudget(limit);
  const { apiUrl, account } = found.memo ?? {};
  if (run === undefined || month === undefined) return undefined;
  const { times, ...rest } = decodeSpec(found);
  if (times === undefined || typeof apiUrl !== 'string' || typeof account !== 'string') return undefined;
  return { run, spec: { ...rest, times, budgetMonth: month?.credits ?? null }, apiUrl, account };
}
