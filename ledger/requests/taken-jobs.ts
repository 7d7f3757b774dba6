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

/**
 * One job is one charge, whichever attempt names it. Jobs of different steps are different jobs, even if the API
 * numbers each kind separately and two have the same id. An answer may name a job that another attempt has: a lost
 * request adopted it from the list, or a person gave it the job; the API makes one job of two equal requests; or the
 * answer is wrong.
 *
 * - If both ask for the same, the API's first answer says whose job it is. The attempt is accepted, and the job's
 *   charge stays where it was. If that other attempt has to return the job, because a person had given it the wrong
 *   one, the charge goes with the job.
 * - If they ask for different things, the job's result is that of one of them at most. The attempt is in doubt, at its
 *   quote: nobody knows what its request made. The other one keeps what it has, but nobody knows that it is its own
 *   either, so no later row uses that result.
 * - An answer that arrives late, for an attempt in doubt, shows that the other attempt took a job that was not its own.
 *   So one of the two requests made that job, and nobody knows what the other one made: the sum of one charge and one
 *   uncertain one is already right. No row loses a result it has, so the attempt stays in doubt, with the reason on
 *   record.
 */

/** Identifies a job: its id, its step, and a batch of its account. */
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

/** The attempt of the same API and account that has this job. */
export async function ownerOf(tx: Tx, job: NamedJob): Promise<Holder | undefined> {
  return selectHolder(tx, job);
}

/**
 * Whether the API may have made one job for both attempts' requests. Only reads more if the cache keys do not settle
 * it.
 */
export async function mayShareJob(tx: Tx, one: Holder, other: Holder): Promise<boolean> {
  if (one.result_key !== null && one.result_key === other.result_key) return true;
  const [asked, before] = [await specAt(tx, one), await specAt(tx, other)];
  return asked !== undefined && before !== undefined && isSameRequest(one.step, asked, before);
}

/** Keeps later rows from using the result of an attempt whose job another answer named, too. */
export async function doubtResult(tx: Tx, holder: Holder): Promise<void> {
  await updateCharge(tx, holder, { result_key: null });
  await forgetResult(tx, holder);
}

/**
 * Moves the charge of a job that was taken back from the attempt that paid for it. Another attempt whose own answer
 * named the job is charged from now on: the price that the API reported for either, else its own quote.
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

/** True if another attempt pays for the job of this one. */
export function isPaidElsewhere(charge: Pick<ChargeLine, 'charged' | 'charged_from'>): boolean {
  return charge.charged === 0 && charge.charged_from === null;
}

/** Why an attempt is in doubt although its answer arrived. */
export function takenFailure(jobId: string, holder: AttemptKey, isLate: boolean): Failure {
  const job = `named job ${jobId.slice(0, 100)}, which row ${holder.row} of batch "${holder.batch}" has`;
  const message = isLate
    ? `The answer came late and ${job}. Only one of the two requests created that job; the other may have been charged for nothing.`
    : `The answer ${job}, and that row asked for something else. So the job's result is not taken for this row; what its own request made is not known, and it may have been charged.`;
  return { class: 'OutcomeUnknown', message: message.slice(0, 500), cause: TAKEN };
}

const TAKEN = 'its job belongs to another row';

/** Whether an answer named a job that another row has. */
export function namedTakenJob({ cause }: Failure): boolean {
  return cause === TAKEN;
}

/** The job that a verdict names. */
export interface VerdictJob {
  readonly jobId?: string;
  /** The job comes from the API's list, not from an answer: nothing is settled if another attempt has it by now. */
  readonly isAdopted?: boolean;
  /** Whose request was answered. Omitted: that of the one on record. */
  readonly owner?: string;
}

/**
 * Keeps a job that an answer names for an attempt that was settled otherwise, unless another attempt has it.
 *
 * - If the answer is to a request of another process than the one on record, two requests were sent: a copy of the
 *   database that took its place lacked the first. The job is kept as that of a request without a place (see
 *   `copy-doubts.ts`).
 * - If not, there was one request, whose late answer came after its row was given a job from the list or by a person.
 *   The API may name one job by two ids, or that job is another request's: a person may compare, and nothing waits for
 *   it.
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
  const standing =
    has === null ? 'was settled without a job' : `has job ${has.slice(0, 60)}, from the list or a person`;
  const reason = `a late answer names it, but the request ${standing}: one job with two ids, or another one, which was paid`;
  await noteAction(tx, byItself(reason), { kind: 'note-job', batch, rows: [row], details: { jobId } });
}
