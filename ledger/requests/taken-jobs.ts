import { type AttemptKey, attemptKeyOf } from '../../contract/batch.ts';
import type { Failure } from '../../contract/failures.ts';
import { isSameRequest } from '../../policy/cache/result-key.ts';
import { specAt } from '../takes/takes.ts';
import { forgetResult } from '../cache/kept-results.ts';
import { updateCharge } from '../rows/line-changes.ts';
import { preparedOne } from '../database/prepared.ts';
import type { ChargeLine, Tx } from '../schema.ts';
import { byItself } from '../../contract/actions.ts';
import { keepUnplaced } from '../database/copy-doubts.ts';
import { actionsOf, noteAction } from '../history/actions.ts';

/*
 * Answers that name a job which another attempt has. Each job is charged once, whichever attempts name it. (Jobs of
 * different steps are different jobs, even with the same id: the API may number each kind separately.) It happens if a
 * lost request adopted the job from the API's list, or a person assigned it; if the API makes one job of two equal
 * requests; or if the answer is wrong.
 *
 * - First answer, equal requests: the attempt is accepted, and the job stays charged to the other attempt. If that one
 *   must return the job, because a person had assigned it wrongly, the charge moves with the job.
 * - First answer, different requests: the job's result belongs to at most one of them. The attempt is in doubt at its
 *   quote, because nobody knows what its request made. The other one keeps its result, but no later row reuses it.
 * - Late answer, for an attempt in doubt: the other attempt has taken a job that was not its own. One of the two
 *   requests made the job, and nobody knows what the other one made, so the sums (one charge, one uncertain) are
 *   already right. No row loses a result; the attempt stays in doubt, with the reason on record.
 */

/** Identifies a job: its id, its step, and any batch of its account. */
type NamedJob = Pick<AttemptKey, 'batch' | 'step'> & { readonly jobId: string };

const selectHolder = preparedOne(
  (db, { batch, step, jobId }: NamedJob) => {
    const own = db.selectFrom('batches').where('name', '=', batch);
    return db
      .selectFrom('charges')
      .innerJoin('batches', 'batches.name', 'charges.batch')
      .select(['charges.batch', 'charges.row', 'charges.step', 'charges.take', 'charges.attempt', 'charges.result_key'])
      .where('charges.job_id', '=', jobId)
      .where('charges.step', '=', step)
      .where('batches.api_url', '=', own.select('api_url'))
      .where('batches.account', '=', own.select('account'))
      .limit(1);
  },
  ({ jobId }) => `job:${jobId}`,
);

/** An attempt and the cache key of its result. */
type Holder = AttemptKey & Pick<ChargeLine, 'result_key'>;

/** Finds the attempt of the same API and account that has this job. */
export async function ownerOf(tx: Tx, job: NamedJob): Promise<Holder | undefined> {
  return selectHolder(tx, job);
}

/** Whether both attempts' requests are equal, so that the API may have made one job for both. */
export async function mayShareJob(tx: Tx, one: Holder, other: Holder): Promise<boolean> {
  if (one.result_key !== null && one.result_key === other.result_key) return true;
  const [asked, before] = [await specAt(tx, one), await specAt(tx, other)];
  return asked !== undefined && before !== undefined && isSameRequest(one.step, asked, before);
}

/** Prevents later rows from reusing the result of an attempt whose job another answer has named, too. */
export async function doubtResult(tx: Tx, holder: Holder): Promise<void> {
  await updateCharge(tx, holder, { result_key: null });
  await forgetResult(tx, holder);
}

/**
 * Moves the charge of a job that was taken back from the attempt `from`, to which it was charged, to another attempt
 * whose own answer named the job, if there is one: the price that the API reported for either, or else its quote.
 */
export async function passOnCharge(
  tx: Tx,
  job: NamedJob,
  from: Pick<ChargeLine, 'charged' | 'charged_from'>,
): Promise<void> {
  const own = tx.selectFrom('batches').where('name', '=', job.batch);
  const heir = await tx
    .selectFrom('charges')
    .innerJoin('batches', 'batches.name', 'charges.batch')
    .selectAll('charges')
    .where('charges.job_id', '=', job.jobId)
    .where('charges.step', '=', job.step)
    .where('charges.charged', '=', 0)
    .where('charges.charged_from', 'is', null)
    .where('batches.api_url', '=', own.select('api_url'))
    .where('batches.account', '=', own.select('account'))
    .orderBy('charges.intent_at')
    .limit(1)
    .executeTakeFirst();
  if (heir === undefined) return;
  const credits = heir.told ?? (from.charged_from === 'api' ? from.charged : null);
  const charged = credits ?? heir.quoted;
  await updateCharge(tx, heir, {
    charged,
    charged_from: charged === null ? null : credits === null ? 'quote' : 'api',
  });
}

/** Whether the job of this attempt is charged to another one. */
export function isPaidElsewhere(charge: Pick<ChargeLine, 'charged' | 'charged_from'>): boolean {
  return charge.charged === 0 && charge.charged_from === null;
}

/** Returns why an attempt is in doubt although its answer has arrived. */
export function takenFailure(jobId: string, holder: AttemptKey, isLate: boolean): Failure {
  const job = `named job ${jobId.slice(0, 100)}, which row ${holder.row} of batch "${holder.batch}" has`;
  const message = isLate
    ? `The answer came late and ${job}. Only one of the two requests created that job; the other may have been charged for nothing.`
    : `The answer ${job}, and that row asked for something else. So the job's result is not taken for this row; what its own request made is not known, and it may have been charged.`;
  return { class: 'OutcomeUnknown', message: message.slice(0, 500), cause: TAKEN };
}

/** The cause of such a failure. */
const TAKEN = 'its job belongs to another row';

/** Whether a failure is one of {@link takenFailure}. */
export function namedTakenJob({ cause }: Failure): boolean {
  return cause === TAKEN;
}

/** The job that a verdict names. */
export interface VerdictJob {
  readonly jobId?: string;
  /** The job comes from the API's list, not from an answer: nothing is settled if another attempt has it by now. */
  readonly isAdopted?: boolean;
  /** Id of the worker process whose request was answered. Omitted: the one on record. */
  readonly owner?: string;
}

/**
 * Records a job that an answer names for an attempt that was already settled otherwise, unless another attempt has it.
 *
 * - If the answer is to a request of another process than the one on record, two requests were sent, because a copy
 *   that replaced the database lacked the first. The job is recorded as that of an unplaced request (see
 *   `database/copy-doubts.ts`).
 * - Otherwise there was one request, whose late answer came after its row was assigned a job from the list or by a
 *   person. The API may have given one job two ids, or the assigned job is another request's. The job is recorded in
 *   the history, for a person to compare.
 */
export async function keepSecondJob(
  tx: Tx,
  charge: ChargeLine,
  { jobId, isAdopted, owner = charge.owner }: VerdictJob,
): Promise<void> {
  if (jobId === undefined || isAdopted === true || charge.job_id === jobId) return;
  if ((await ownerOf(tx, { ...charge, jobId })) !== undefined) return;
  const { batch, row, job_id: has } = charge;
  if (owner !== charge.owner) {
    await keepUnplaced(tx, { key: attemptKeyOf(charge), at: charge.intent_at, jobId });
    return;
  }
  const noted = await actionsOf(tx, { batch, rows: [row], kinds: ['note-job'] });
  if (noted.some(({ details }) => details.jobId === jobId)) return;
  const state = has === null ? 'was settled without a job' : `has job ${has.slice(0, 60)}, from the list or a person`;
  const reason = `a late answer names it, but the request ${state}: one job with two ids, or another one, which was paid`;
  await noteAction(tx, byItself(reason), { kind: 'note-job', batch, rows: [row], details: { jobId } });
}
