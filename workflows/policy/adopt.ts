/**
 * Which job of the API's list is the one whose answer was lost? Adopting a wrong one would hand a row somebody else's
 * result, so every doubt ends in "none".
 *
 * Where the list echoes the inputs, a job must match both, lie in the time window and be claimed by nobody. If several do, rows
 * that look alike may have made them: as long as there are no more such jobs than lost creates with these inputs, any of
 * them will do. Whichever row gets which, its result is that of its own inputs, and each job is one of the charges that were
 * in doubt. With one job more, a stranger's is among them, and none is taken.
 *
 * Where the list does not echo them, exactly one unclaimed job may lie in the window, and no other create of this
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
  /** True for the audio link that was sent. A chain's link is on no record, only its hash is. */
  readonly isAudio: (url: string) => boolean;
  /** When the intent was recorded, ms. */
  readonly intentAt: number;
  /** When the list was read, ms; the job was made before this. */
  readonly lookedAt: number;
  /** Difference between the API's clock and ours is taken to be at most this, ms. */
  readonly clockSlackMs: number;
  /** True if another lip-sync create of this ledger was without a verdict in the same time. */
  readonly othersOutstanding: boolean;
}

/** `nothing`: no job fits, and one may still show up. `doubt`: some might be it, and nobody can say which. */
export type Finding = { readonly is: 'found'; readonly id: string } | { readonly is: 'nothing' | 'doubt' };

/**
 * Chooses among the jobs that nobody claims. `alike`: lost creates with these very inputs, this one included; asked only where
 * several jobs match.
 */
export function chooseJob(lost: LostCreate, free: readonly ListedJobView[], alike: number): Finding {
  const fitting = free.filter((job) => mayBe(lost, job));
  const matching = fitting.filter(isEchoed);
  const [first] = matching;
  if (first !== undefined) return matching.length <= alike ? { is: 'found', id: first.id } : { is: 'doubt' };
  const [only] = fitting;
  if (only === undefined) return { is: 'nothing' };
  const isCertain = fitting.length === 1 && !lost.othersOutstanding && only.createdAtMs !== undefined;
  return isCertain ? { is: 'found', id: only.id } : { is: 'doubt' };
}

/** True if the job can have been made by the lost request, whoever claims it. */
export function mayBe(lost: LostCreate, job: ListedJobView): boolean {
  if (!isInWindow(lost, job)) return false;
  const { videoUrl, audioUrl } = job;
  if (videoUrl === undefined || audioUrl === undefined) return videoUrl === audioUrl;
  return videoUrl === lost.videoUrl && lost.isAudio(audioUrl);
}

function isEchoed(job: ListedJobView): boolean {
  return job.videoUrl !== undefined;
}

/** A job without a time can be in it, as long as its inputs say so. */
function isInWindow(lost: LostCreate, job: ListedJobView): boolean {
  if (job.createdAtMs === undefined) return true;
  return job.createdAtMs >= lost.intentAt - lost.clockSlackMs && job.createdAtMs <= lost.lookedAt + lost.clockSlackMs;
}
