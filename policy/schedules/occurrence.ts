import { MAX_BATCH_NAME_LENGTH } from '../../contract/batch-name.ts';
import { utcSecond } from '../../contract/times.ts';

/**
 * Occurrences of a schedule: each is a time at which it fires, with a separate batch. The batch's name contains that
 * time, so a repeated firing is still one batch.
 */

/** An occurrence of a schedule. */
export interface Occurrence {
  /** Name of the schedule. */
  readonly schedule: string;
  /** Scheduled time without jitter, ms since 1970; a whole second. */
  readonly at: number;
}

/** Length of the suffix of an occurrence's name: `.2026-12-01T02-00-00Z`. */
export const STAMP_LENGTH = 21;

/** Max length of a schedule's name: with the time appended, it must be a valid name of a batch. */
export const MAX_SCHEDULE_NAME_LENGTH = MAX_BATCH_NAME_LENGTH - STAMP_LENGTH;

/**
 * Returns the name of an occurrence's batch, safe as a folder name on every file system:
 * `nightly.2026-12-01T02-00-00Z`.
 */
export function formatOccurrence({ schedule, at }: Occurrence): string {
  return `${schedule}.${stampOf(at)}`;
}

/** Parses a batch name into its occurrence; undefined for the name of any other batch. */
export function parseOccurrence(batch: string): Occurrence | undefined {
  const found = /^(?<schedule>.+)\.(?<day>\d{4}-\d\d-\d\d)T(?<hour>\d\d)-(?<minute>\d\d)-(?<second>\d\d)Z$/s.exec(
    batch,
  );
  if (found?.groups === undefined) return undefined;
  const { schedule = '', day = '', hour = '', minute = '', second = '' } = found.groups;
  const at = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  // `Date` turns a nonexistent day or hour into another one.
  if (Number.isNaN(at) || !batch.endsWith(stampOf(at))) return undefined;
  return { schedule, at };
}

/**
 * Returns the time for which a schedule started a workflow, in ms since 1970: Temporal appends it to the workflow id,
 * as `…-2026-12-01T02:00:00Z`. Undefined for a workflow that no schedule started.
 */
export function scheduledTimeOf(workflowId: string): number | undefined {
  const text = /-(?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/.exec(workflowId)?.groups?.['time'];
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

function stampOf(at: number): string {
  return utcSecond(at).replaceAll(':', '-');
}
