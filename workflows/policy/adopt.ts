/**
 * Which job of the API's list is the one whose answer was lost? Adopting a wrong one would hand a row somebody else's
 * result, so every doubt ends in "none".
 *
 * Where the list echoes the inputs, a job must match both, lie in the time window, be claimed by nobody, and be the only
 * such one. Where it does not echo them, exactly one unclaimed job may lie in the window, and no other create of this
 * ledger may have been outstanding then; a foreign program that uses the same account could still have made that job,
 * which is why the window is short.
 */
export interface ListedJobView {
  readonly id: string;
  readonly createdAtMs?: number;
  readonly videoUrl?: string;
  readonly audioUrl?: string;
}

export interface LostCreate {
  readonly videoUrl: string;
  readonly audioUrl: string;
  /** When the intent was recorded, ms. */
  readonly intentAt: number;
  /** When the look-up begins, ms; the job was made before this. */
  readonly lookedAt: number;
  /** Difference between the API's clock and ours is taken to be at most this, ms. */
  readonly clockSlackMs: number;
  /** True if another lip-sync create of this ledger was without a verdict in the same time. */
  readonly othersOutstanding: boolean;
}

export function jobToAdopt(
  lost: LostCreate,
  jobs: readonly ListedJobView[],
  isClaimed: (id: string) => boolean,
): string | undefined {
  const free = jobs.filter((job) => !isClaimed(job.id) && inWindow(lost, job));
  const echoed = free.filter((job) => job.videoUrl !== undefined && job.audioUrl !== undefined);
  const matching = echoed.filter((job) => job.videoUrl === lost.videoUrl && job.audioUrl === lost.audioUrl);
  if (matching.length > 0) return matching.length === 1 ? matching[0]?.id : undefined;
  const silent = free.filter((job) => job.videoUrl === undefined && job.audioUrl === undefined);
  if (lost.othersOutstanding || silent.length !== 1) return undefined;
  const [only] = silent;
  return only?.createdAtMs === undefined ? undefined : only.id;
}

/** True if the job can have been made by the lost request; a job without a time can, as long as its inputs say so. */
function inWindow(lost: LostCreate, job: ListedJobView): boolean {
  if (job.createdAtMs === undefined) return true;
  return job.createdAtMs >= lost.intentAt - lost.clockSlackMs && job.createdAtMs <= lost.lookedAt + lost.clockSlackMs;
}
