/**
 * Finds the job of a lost answer in the API's list. Adopting a wrong job would give a row somebody else's result, or
 * count a charge twice, so every doubt ends in "none".
 *
 * If the list echoes the inputs, a job must match both, be in the time window and belong to no attempt. Other creates
 * without a verdict may have made it:
 *
 * - One with the same links that differs in another field: the list cannot tell them apart, so none is adopted.
 * - Identical ones. If there are no more such jobs than lost creates, none is a stranger's. If there are more jobs than
 * creates in flight, whose answers may still name theirs, one of the jobs belongs to a lost create. Then any of them
 * will do: whichever row gets which, its result matches its own inputs, and each job is counted once.
 *
 * If the list does not echo the inputs, none is adopted: another ledger, another program or a person may have made the
 * only candidate (seen: two ledgers on one account, and a row that ended with a stranger's face). The row is unknown,
 * and a person can name the job.
 */
export interface ListedJobView {
  readonly id: string;
  readonly createdAtMs?: number;
  readonly videoUrl?: string;
  readonly audioUrl?: string;
}

export interface LostCreate {
  /** True for the video link that was sent. A link to local media is not recorded, only their content is. */
  readonly isVideo: (url: string) => boolean;
  /** True for the audio link that was sent. A chain's link is not recorded, only its hash is. */
  readonly isAudio: (url: string) => boolean;
  /** When the intent was recorded, ms. */
  readonly intentAt: number;
  /** When the list was read, ms; the job was made before this. */
  readonly lookedAt: number;
  /** Assumed max difference between the API's clock and ours, ms. */
  readonly clockSlackMs: number;
}

/** `nothing`: no job matches yet, and one may still appear. `ambiguous`: several match, and nobody can tell which. */
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

/** Chooses among jobs that belong to no attempt. `others`: creates that the list would show with the same links. */
export function chooseJob(lost: LostCreate, free: readonly ListedJobView[], others: readonly OtherCreate[]): Finding {
  const fitting = free.filter((job) => mayBe(lost, job));
  const matching = fitting.filter(isEchoed);
  const [first] = matching;
  if (first !== undefined) return amongAlike(lost, matching.length, others) ?? { type: 'found', id: first.id };
  return { type: fitting.length === 0 ? 'nothing' : 'ambiguous' };
}

/** Why none of these matching jobs can be adopted; undefined if any can. */
function amongAlike({ lookedAt }: LostCreate, jobs: number, others: readonly OtherCreate[]): Finding | undefined {
  const sending = others.filter((one) => one.isSending).length;
  // Creates that began after the list was read made none of its jobs.
  const lost = 1 + others.filter((one) => one.intentAt <= lookedAt).length;
  if (jobs > lost || others.some((one) => !one.isSame && !one.isSending)) return { type: 'ambiguous' };
  // They may have made all of these; their answers will tell.
  return sending >= jobs || others.some((one) => !one.isSame) ? { type: 'nothing' } : undefined;
}

/** True if the lost request can have made the job, whoever has it. */
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
