/**
 * Finds the job of a paid request ("create") whose answer is lost, in the API's list of jobs. Adopting a wrong job
 * would give a row somebody else's result, or count a charge twice, so a job is adopted only if there is no doubt.
 *
 * If the list repeats the inputs, a job must match both, be in the time window and belong to no attempt. Other creates
 * without a verdict may have made it:
 *
 * - One with the same links that differs in another field: the list cannot tell them apart, so none is adopted.
 * - Identical ones. If there are no more matching jobs than lost creates, all of them are ours. If there are also more
 *   jobs than creates in flight (whose answers may still name theirs), at least one job belongs to a lost create. Then
 *   any job will do: whichever row gets it, the result matches the row's inputs, and each job is counted once.
 *
 * If the list does not repeat the inputs, none is adopted: another ledger, another program or a person may have made
 * the only candidate (seen: two ledgers on one account, and a row that got a stranger's video). The row ends `unknown`,
 * and a person can name the job.
 */

/** A job as the API lists it; absent members are not reported. */
export interface ListedJobView {
  readonly id: string;
  readonly createdAtMs?: number;
  readonly videoUrl?: string;
  readonly audioUrl?: string;
}

/** The request whose answer is lost. */
export interface LostCreate {
  /** Whether a URL is the video link that was sent. (For local media, only the content is recorded, not the link.) */
  readonly isVideo: (url: string) => boolean;
  /** Whether a URL is the audio link that was sent. (For a link from an earlier step, only its hash is recorded.) */
  readonly isAudio: (url: string) => boolean;
  /** When the intent was recorded, ms. */
  readonly intentAt: number;
  /** When the list was read, ms; its jobs were made before. */
  readonly lookedAt: number;
  /** Assumed max difference between the API's clock and ours, ms. */
  readonly clockSlackMs: number;
}

/** `nothing`: no job matches yet, but one may still appear. `ambiguous`: several match, so none is adopted. */
export type Finding = { readonly type: 'found'; readonly id: string } | { readonly type: 'nothing' | 'ambiguous' };

/** Another create with the same links that has no verdict, or was given up as unknown. */
export interface OtherCreate {
  /** True if it is identical in every other field too. */
  readonly isSame: boolean;
  /** True if it may be in flight: its answer can still arrive. */
  readonly isSending: boolean;
  /** When its intent was recorded, ms. */
  readonly intentAt: number;
}

/**
 * Chooses the job of a lost create. `free`: listed jobs that belong to no attempt; `others`: other creates that the
 * list would show with the same links.
 */
export function chooseJob(lost: LostCreate, free: readonly ListedJobView[], others: readonly OtherCreate[]): Finding {
  const fitting = free.filter((job) => mayBe(lost, job));
  const matching = fitting.filter(isEchoed);
  const [first] = matching;
  if (first !== undefined) return amongAlike(lost, matching.length, others) ?? { type: 'found', id: first.id };
  return { type: fitting.length === 0 ? 'nothing' : 'ambiguous' };
}

/** Returns why none of these matching jobs can be adopted; undefined if any of them can. `jobs`: their number. */
function amongAlike({ lookedAt }: LostCreate, jobs: number, others: readonly OtherCreate[]): Finding | undefined {
  const sending = others.filter((one) => one.isSending).length;
  // Creates that began after the list was read made none of its jobs.
  const lost = 1 + others.filter((one) => one.intentAt <= lookedAt).length;
  if (jobs > lost || others.some((one) => !one.isSame && !one.isSending)) return { type: 'ambiguous' };
  // The creates in flight may have made all of these jobs; their answers will show it.
  return sending >= jobs || others.some((one) => !one.isSame) ? { type: 'nothing' } : undefined;
}

/** Whether the lost create may have made a job, whether or not the job belongs to an attempt. */
export function mayBe(lost: LostCreate, job: ListedJobView): boolean {
  if (!isInWindow(lost, job)) return false;
  const { videoUrl, audioUrl } = job;
  if (videoUrl === undefined || audioUrl === undefined) return videoUrl === audioUrl;
  return lost.isVideo(videoUrl) && lost.isAudio(audioUrl);
}

function isEchoed(job: ListedJobView): boolean {
  return job.videoUrl !== undefined;
}

/** A job without a time counts as inside, as long as its inputs match. */
function isInWindow(lost: LostCreate, job: ListedJobView): boolean {
  if (job.createdAtMs === undefined) return true;
  return job.createdAtMs >= lost.intentAt - lost.clockSlackMs && job.createdAtMs <= lost.lookedAt + lost.clockSlackMs;
}
