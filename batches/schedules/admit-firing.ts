import { join } from 'node:path';
import { realmDifference, type Realm } from '../../contract/names.ts';
import { parseScheduledRun, type ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { ScheduleRecord } from '../../ledger/schedules/schedule-settings.ts';
import { firingLookBack, judgeFiring, lateReason } from '../../policy/schedules/legal-firing.ts';
import type { MonthBudget } from '../../policy/schedules/month-budget.ts';
import { formatOccurrence, type Occurrence } from '../../policy/schedules/occurrence.ts';
import { isBatchName } from '../../contract/batch-name.ts';

/**
 * A firing of a schedule, as Temporal reports it. It is not trusted: anybody with access to Temporal can start any
 * firing, so the ledger must know the schedule and allow the time.
 */
export interface FiringRequest {
  readonly ledger: Ledger;
  /** The API and account of the worker. */
  readonly realm: Realm;
  /** The schedule and the time for which it fired. */
  readonly occurrence: Occurrence;
  /** How long the firing waited for a worker, ms. */
  readonly waitedMs: number;
  /** ms since 1970. */
  readonly now: number;
}

/**
 * What to do with a firing.
 *
 * - `there`: its batch exists already. Without `out`, the folder of the batch's files is not on record. `wasOver`: the
 *   batch and its occurrence had ended before this firing began, as in a backfill over a time that ran.
 * - `admitted`: it may make a batch with these terms.
 * - `unasked`: nobody asked for it: it is neither due nor requested. It leaves no record.
 * - `refused`: it cannot make a batch here.
 * - `missed`: it comes too late.
 *
 * `trigger`: the manual trigger that this firing uses up; omitted for regular firings.
 */
export type Admission =
  | {
      readonly type: 'there';
      readonly batch: BatchRecord;
      readonly wasOver: boolean;
      readonly out?: string;
      readonly trigger?: number;
    }
  | ({ readonly type: 'admitted'; readonly trigger?: number } & FiringTerms)
  | { readonly type: 'unasked'; readonly reason: string }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'missed'; readonly reason: string };

/** What a schedule's batch is made from. */
export interface FiringTerms {
  readonly run: ScheduledRun;
  /** The schedule's budget per calendar month; null if it has none. */
  readonly month: MonthBudget | null;
  /** Folder of the batch's files, absolute. */
  readonly out: string;
}

/** Decides from the ledger alone whether a firing may make a batch, and from what. Writes nothing. */
export async function admitFiring(request: FiringRequest): Promise<Admission> {
  const { ledger, realm, occurrence, waitedMs, now } = request;
  const name = formatOccurrence(occurrence);
  if (!isBatchName(name)) return refused('the schedule has a name that no batch can have');
  const schedule = await ledger.scheduleRecord(occurrence.schedule);
  const found = await ledger.findBatch(name);
  const batch = found?.state === 'loading' ? undefined : found;
  const differs = batch === undefined ? undefined : realmDifference(batch, realm);
  if (differs !== undefined)
    return refused(`there is a batch "${name}" of another ${differs === 'api' ? 'API' : 'account'}`);
  const recorded = await ledger.findOccurrence(occurrence);
  const terms = schedule === undefined ? undefined : termsOf(schedule, name);
  // An occurrence that failed or was skipped begins anew, in the folder that the schedule has now.
  const keptOut = recorded?.state === 'running' || recorded?.state === 'ended' ? recorded.out : null;
  if (batch !== undefined && recorded !== undefined) {
    const out = keptOut ?? terms?.out ?? recorded.out;
    // One that is on record as running may be this very firing, whose batch has ended before it could look.
    const wasOver = batch.state === 'closed' && (recorded.state === 'ended' || recorded.state === 'failed');
    return { type: 'there', batch, wasOver, ...(out === null ? {} : { out }) };
  }
  if (schedule === undefined) return refused(`the ledger knows no schedule "${occurrence.schedule}"`);
  const { settings } = schedule;
  if (terms === undefined) {
    return refused(
      `what schedule "${schedule.name}" runs is not on record here in a form that this version reads; give it: voxbatch schedule update`,
    );
  }
  if (realmDifference(settings, realm) !== undefined)
    return refused(`schedule "${schedule.name}" belongs to another API or account than this worker`);
  const { spec } = settings;
  const { settledAt, allowed } = schedule;
  const from = firingLookBack(occurrence.at, { spec, settledAt, allowed });
  const occurrences = await ledger.occurrencesOf(schedule.name, { from });
  const verdict = judgeFiring(occurrence.at, now, { spec, settledAt, allowed, occurrences });
  if (verdict.type !== 'legal') return { type: verdict.type === 'late' ? 'missed' : 'unasked', reason: verdict.reason };
  const trigger = verdict.trigger === undefined ? {} : { trigger: verdict.trigger };
  if (batch !== undefined) return { type: 'there', batch, wasOver: false, out: terms.out, ...trigger };
  const late = lateReason(waitedMs, spec.catchUpMs);
  return late === undefined
    ? { type: 'admitted', ...terms, out: keptOut ?? terms.out, ...trigger }
    : { type: 'missed', reason: late };
}

/** Returns the terms of a schedule's batches; undefined if this version cannot read them from the record. */
export function termsOf({ settings }: Pick<ScheduleRecord, 'settings'>, batch: string): FiringTerms | undefined {
  const run = parseScheduledRun(settings.run);
  if (run === undefined) return undefined;
  const { budgetMonth: credits, timezone } = settings.spec;
  return { run, month: credits === null ? null : { credits, timezone }, out: join(run.outFolder, batch) };
}

/** Makes a refusal of a reason: a sentence that begins in lower case, without its full stop. */
function refused(reason: string): Admission {
  return { type: 'refused', reason: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}. Nothing was spent.` };
}
