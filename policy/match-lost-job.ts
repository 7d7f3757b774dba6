/**
 * Which job of the API's list is the one whose answer was lost? Adopting a wrong one would hand a row somebody else's
 * result, or count a charge twice, so every doubt ends in "none".
 *
 * Where the list echoes the inputs, a job must match both, lie in the time window and be claimed by nobody. Others may have made it
 * that have no verdict either:
 *
 * - One with the same links that asks for something else of them: the list does not tell them apart, so none is taken.
 * - Some that ask for the very same. As long as there are no more such jobs than lost creates, no stranger's is among them. And as
 *   long as there are more jobs than creates in flight, whose answers may still name theirs, one of the jobs belongs to a lost
 *   create. Then any of them will do: whichever row gets which, its result is that of its own inputs, and each job is counted once.
 *
 * Where the list does not echo them, no job is taken: another ledger, another program or a person may have made the only one that fits
 * (seen: two ledgers on one account, and a row that ended with a stranger's face). The row is unknown, and a person can name the job.
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
}

/** `nothing`: no job fits, and one may still show up. `doubt`: some might be it, and nobody can say which. */
export type Finding = { readonly type: 'found'; readonly id: string } | { readonly type: 'nothing' | 'ambiguous' };

/** Another create with the same links that has no verdict, or was given up as unknown. */
export interface OtherCreate {
  /** It asks for the same in everything else, too. */
  readonly isSame: boolean;
  /** It may be in flight: its answer can still come. */
  readonly isSending: boolean;
  /** When its intent was recorded, ms. */
  readonly intentAt: number;
}

/** Chooses among the jobs that nobody claims. `others`: creates that the list would show with the same links. */
export function chooseJob(lost: LostCreate, free: readonly ListedJobView[], others: readonly OtherCreate[]): Finding {
  const fitting = free.filter((job) => mayBe(lost, job));
  const matching = fitting.filter(isEchoed);
  const [first] = matching;
  if (first !== undefined) return amongAlike(lost, matching.length, others) ?? { type: 'found', id: first.id };
  return { type: fitting.length === 0 ? 'nothing' : 'ambiguous' };
}

/** Why none of so many jobs that match can be taken; undefined if any can. */
function amongAlike({ lookedAt }: LostCreate, jobs: number, others: readonly OtherCreate[]): Finding | undefined {
  const sending = others.filter((one) => one.isSending).length;
  // Those that began after the list was read made none of its jobs.
  const lost = 1 + others.filter((one) => one.intentAt <= lookedAt).length;
  if (jobs > lost || others.some((one) => !one.isSame && !one.isSending)) return { type: 'ambiguous' };
  // They may have made all of these; when their answers are there, more is known.
  return sending >= jobs || others.some((one) => !one.isSame) ? { type: 'nothing' } : undefined;
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
