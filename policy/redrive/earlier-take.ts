import type { FailureClass } from '../../contract/failures.ts';
import type { FileLoss } from '../../contract/file-loss.ts';
import { hasResult, type Outcome } from '../../contract/outcomes.ts';
import { resultStepOf, type Step, type StepChoice } from '../../contract/row-kinds.ts';
import { jobOfFile } from './lost-file.ts';
import { lastAttempt, presentTake, type AttemptView } from '../rows/row-machine.ts';

/**
 * Returning to the result of an earlier take, that is, paid run of a row (`redrive --accept ROW/TAKE`). Each keeps its
 * file in the store, so this is free. The result of the current take stays in the store too, so a person can switch
 * back the same way. If the earlier file is lost, its job is read again, and the row keeps its current result until
 * that yields the same file. A row can also return to a take whose paid job had no result yet when the row left the
 * take.
 */

/** The take to return to, with facts about it besides its attempts. */
export interface EarlierTake {
  readonly take: number;
  /** The first later take for which the row was edited, which changed its request. Default: none. */
  readonly editedBy?: number;
  /** What is wrong with its stored file or an extra file. Omitted if all files are intact. */
  readonly is?: FileLoss | 'removed';
}

/** The part of a row that decides. */
export interface RedriveRow {
  readonly spec: StepChoice;
  /** Null while the row is open. */
  readonly outcome: Outcome | null;
  readonly failure: { readonly class: FailureClass } | null;
  readonly take: number;
  readonly redoFrom: Step | null;
  /** The earlier take whose result the row uses now. Default: none. */
  readonly returnedTo?: number | null;
  /** Number of parts that its text was split into. Default: not split. */
  readonly parts?: number | null;
  /** The file of its result. Default: none. */
  readonly file?: StoredFile | null;
}

/** The part of a stored file's record that decides. */
interface StoredFile {
  readonly key: string;
}

/** The part of an attempt that decides. */
export interface RedriveAttempt extends AttemptView {
  readonly jobId: string | null;
  readonly failure: { readonly class: FailureClass } | null;
  readonly file?: StoredFile | null;
  /** The cached result that it used, or could not use, with the job that made it. */
  readonly source?: { readonly jobId: string | null } | null;
}

/** Why a row cannot return to a take. */
export type ReturnRefusal =
  /** The take made no result. `takes`: the takes that did. */
  | { readonly why: 'no-file'; readonly take: number; readonly takes: readonly number[] }
  /** The row was edited since, so that result is of another request. */
  | { readonly why: 'other-request'; readonly take: number; readonly editedBy: number }
  /** Its file was removed, or is lost and has no readable job. `jobId`: the job that made it; null if none did. */
  | {
      readonly why: 'lost-file';
      readonly take: number;
      readonly is: FileLoss | 'removed';
      readonly jobId: string | null;
    }
  /** The row was split into parts, which have their own takes. */
  | { readonly why: 'whole'; readonly take: number };

/** Returns the attempt that made a take's result; undefined if none did. */
export function resultOfTake<A extends RedriveAttempt>(
  row: StepChoice,
  attempts: readonly A[],
  take: number,
): A | undefined {
  return lastAttempt(
    attempts.filter((one) => one.take === take && one.file != null),
    resultStepOf(row),
  );
}

/**
 * Returns the attempt of a take that has no result, but whose job can still be read: it was overdue when the row left
 * the take, or was found since. Undefined if there is none, or if the row is at that take and simply waits for the job.
 */
export function unfetchedOfTake<A extends RedriveAttempt>(
  row: RedriveRow,
  attempts: readonly A[],
  take: number,
): A | undefined {
  if (presentTake(row) === take && (row.outcome === null || !hasResult(row.outcome))) return undefined;
  const ofTake = attempts.filter((one) => one.take === take);
  const last = lastAttempt(ofTake, resultStepOf(row.spec));
  if (last?.state !== 'accepted' || last.jobId === null || last.file != null) return undefined;
  return last.finishedAt === null || last.failure?.class === 'ResultGone' ? last : undefined;
}

/**
 * Returns the attempt of {@link unfetchedOfTake} in the newest take before the current one that has such an attempt.
 *
 * @param since first take with the row's current request; jobs of earlier takes made something else
 */
export function leftUnfetched<A extends RedriveAttempt>(
  row: RedriveRow,
  attempts: readonly A[],
  since: number,
): A | undefined {
  const takes = attempts.map(({ take }) => take).filter((take) => take >= since && take !== presentTake(row));
  const newestFirst = [...new Set(takes)].sort((a, b) => b - a);
  return newestFirst.map((take) => unfetchedOfTake(row, attempts, take)).find((one) => one !== undefined);
}

/** Returns why a row cannot return to a take; undefined if it can. */
export function refusedReturn(
  row: RedriveRow,
  attempts: readonly RedriveAttempt[],
  { take, editedBy, is }: EarlierTake,
): ReturnRefusal | undefined {
  if ((row.parts ?? null) !== null) return { why: 'whole', take };
  const made = resultOfTake(row.spec, attempts, take) ?? unfetchedOfTake(row, attempts, take);
  if (made === undefined) return { why: 'no-file', take, takes: takesWithResult(row.spec, attempts) };
  if (editedBy !== undefined) return { why: 'other-request', take, editedBy };
  const jobId = jobOfFile(made) ?? null;
  const isThere = is === undefined || (is !== 'removed' && jobId !== null);
  return isThere ? undefined : { why: 'lost-file', take, is, jobId };
}

/**
 * Returns the take whose results the first steps of a partial new take reuse: that of the result the row returned to,
 * or the one that a person accepted; null for the latest results. The file of that result may be lost; the record still
 * tells which earlier results it was made from.
 */
export function keptTake(
  {
    spec,
    acceptedTake,
    returnedTo,
  }: { readonly spec: StepChoice; readonly acceptedTake: number | null; readonly returnedTo: number | null },
  attempts: readonly (RedriveAttempt & { readonly fromTake: number | null })[],
): number | null {
  if (returnedTo === null) return acceptedTake;
  const ofTake = attempts.filter(({ take }) => take === returnedTo);
  return lastAttempt(ofTake, resultStepOf(spec))?.fromTake ?? returnedTo;
}

/**
 * Returns the extra files that belong to a result, such as subtitles.
 *
 * @param groups results that the row has had, each followed by its extra files
 */
export function filesBeside<File extends { readonly key: string }>(
  { key }: File,
  groups: readonly (readonly (File | null)[])[],
): readonly File[] {
  const group = groups.find(([first]) => first?.key === key) ?? [];
  return group.slice(1).filter((file) => file !== null);
}

/** Returns the takes of a row that made a result, oldest first. */
function takesWithResult(row: StepChoice, attempts: readonly RedriveAttempt[]): readonly number[] {
  const step = resultStepOf(row);
  const takes = attempts.filter((one) => one.step === step && one.file != null).map(({ take }) => take);
  return [...new Set(takes)].sort((a, b) => a - b);
}
