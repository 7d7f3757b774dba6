import type { JobReading } from '../../api/speech-api.ts';
import type { FencedAttempt } from '../../contract/batch.ts';
import type { Dialect } from '../../contract/dialects.ts';
import { dialectOf, makesJob, type JobOperation } from '../../contract/row-kinds.ts';
import type { JobKey } from '../../ledger/requests/job-end.ts';
import { type LoadedAttempt, attemptName } from '../attempt.ts';
import type { Dependencies } from '../dependencies.ts';
import { apiForDialect } from '../row-api.ts';

/** A job at the API that a row of this lane waits for. */
export interface AwaitedJob {
  readonly key: FencedAttempt & JobKey;
  /** Name of its attempt, by which this process tracks polls and downloads. */
  readonly name: string;
  readonly loaded: LoadedAttempt;
  readonly jobId: string;
  readonly dialect: Dialect;
  readonly operation: JobOperation;
  /** Wall clock, ms. */
  readonly acceptedAt: number;
  /** Start of its deadline, wall clock, ms: its acceptance, or when the user asked to wait for it again. */
  readonly waitedSince: number;
}

/** Returns the job of an attempt; undefined if it has none. */
export function toAwaitedJob(key: FencedAttempt, loaded: LoadedAttempt): AwaitedJob | undefined {
  const { charge, operation } = loaded;
  if (charge?.jobId == null || !makesJob(operation)) return undefined;
  const acceptedAt = charge.verdictAt ?? charge.intentAt;
  return {
    // The user may assign another job to the row meanwhile; with the job id, records of this one then have no effect.
    key: { ...key, jobId: charge.jobId },
    name: attemptName(key),
    loaded,
    jobId: charge.jobId,
    dialect: dialectOf(loaded.row.spec),
    operation,
    acceptedAt,
    // `waitSince` may be of an earlier step of the row.
    waitedSince: Math.max(loaded.row.waitSince ?? 0, acceptedAt),
  };
}

/** Reads a job from the API once, at once. Throws ApiError. */
export function readAwaitedJob(
  deps: Pick<Dependencies, 'api'>,
  { dialect, operation, jobId, loaded }: AwaitedJob,
  signal: AbortSignal,
): Promise<JobReading> {
  return apiForDialect(deps, dialect).readJob(operation, jobId, signal, loaded.row.spec);
}

/** Returns the time since the job was accepted, ms. `now`: wall clock. */
export function ageOf({ acceptedAt }: Pick<AwaitedJob, 'acceptedAt'>, now: number): number {
  return Math.max(0, now - acceptedAt);
}

/** Returns whether the job has run past the deadline of its batch. `now`: wall clock, ms. */
export function isPastDeadline(job: AwaitedJob, now: number): boolean {
  return now - job.waitedSince > job.loaded.batch.settings.jobDeadlineMs;
}
