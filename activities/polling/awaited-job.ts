import type { JobReading } from '../../api/speech-api.ts';
import type { FencedAttempt } from '../../contract/batch.ts';
import type { Dialect } from '../../contract/dialects.ts';
import { dialectOf, makesJob, type JobOperation } from '../../contract/row-kinds.ts';
import type { JobKey } from '../../ledger/requests/job-end.ts';
import { type LoadedAttempt, attemptName } from '../attempt.ts';
import type { Dependencies } from '../dependencies.ts';
import { apiForDialect } from '../row-api.ts';

/** A job that this lane slice waits for. */
export interface AwaitedJob {
  readonly key: FencedAttempt & JobKey;
  readonly name: string;
  readonly loaded: LoadedAttempt;
  readonly jobId: string;
  readonly dialect: Dialect;
  readonly operation: JobOperation;
  readonly acceptedAt: number;
  /** Start of its deadline: its acceptance, or when a person asked to wait for it again. */
  readonly waitedSince: number;
}

/** The job of an attempt, if it has one. */
export function toAwaitedJob(key: FencedAttempt, loaded: LoadedAttempt): AwaitedJob | undefined {
  const { charge, operation } = loaded;
  if (charge?.jobId == null || !makesJob(operation)) return undefined;
  const acceptedAt = charge.verdictAt ?? charge.intentAt;
  return {
    // While the job is read or downloaded, a person may release it and name another.
    key: { ...key, jobId: charge.jobId },
    name: attemptName(key),
    loaded,
    jobId: charge.jobId,
    dialect: dialectOf(loaded.row.spec),
    operation,
    acceptedAt,
    // Waiting for a later step of the row starts when that is accepted.
    waitedSince: Math.max(loaded.row.waitSince ?? 0, acceptedAt),
  };
}

/** Reads a job once, unpaced. Throws ApiError. */
export function readAwaitedJob(
  deps: Pick<Dependencies, 'api'>,
  { dialect, operation, jobId, loaded }: AwaitedJob,
  signal: AbortSignal,
): Promise<JobReading> {
  return apiForDialect(deps, dialect).readJob(operation, jobId, signal, loaded.row.spec);
}

/** Time since the job was accepted, ms. */
export function ageOf({ acceptedAt }: Pick<AwaitedJob, 'acceptedAt'>, now: number): number {
  return Math.max(0, now - acceptedAt);
}

/** True if the job has run longer than jobs may. */
export function isPastDeadline(job: AwaitedJob, now: number): boolean {
  return now - job.waitedSince > job.loaded.batch.settings.jobDeadlineMs;
}
