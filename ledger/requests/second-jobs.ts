import { byItself } from '../../contract/actions.ts';
import { attemptKeyOf } from '../../contract/batch.ts';
import { keepUnplaced } from '../database/copy-doubts.ts';
import { actionsOf, noteAction } from '../history/actions.ts';
import type { ChargeLine, Tx } from '../schema.ts';
import { ownerOf } from './taken-jobs.ts';

/** The job that a verdict names. */
export interface NamedJob {
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
  { jobId, isAdopted, owner = charge.owner }: NamedJob,
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
