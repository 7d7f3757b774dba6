import type { AttemptKey } from '../contract/batch.ts';
import type { Failure } from '../contract/failures.ts';
import type { ChargeRecord } from './record-types.ts';
import type { Tx } from './schema.ts';

/**
 * One job is one charge, whoever names it. An answer may name a job that another attempt has: a lost request adopted it from the
 * list, or was given it by a person; or the API makes one job of two requests that are alike.
 *
 * - The API's first answer says whose job it is. The attempt is accepted, and what the job costs counts where it counted before.
 * - An answer that comes late, for an attempt in doubt, says that the other one took a job that was not its own. So one of the two
 *   requests made that job, and of the other one nobody knows what it made: the sum of one charge and one uncertain one is right as it
 *   stands. No result is taken from a row that has it, so the attempt stays in doubt, and says why.
 */

/** The attempt of the same API and account that has this job. */
export async function holderOf(tx: Tx, batch: string, jobId: string): Promise<AttemptKey | undefined> {
  const own = tx.selectFrom('batches').where('name', '=', batch);
  return tx
    .selectFrom('charges')
    .innerJoin('batches', 'batches.name', 'charges.batch')
    .select(['charges.batch', 'charges.row', 'charges.step', 'charges.take', 'charges.attempt'])
    .where('charges.job_id', '=', jobId)
    .where('batches.api_url', '=', own.select('api_url'))
    .where('batches.account', '=', own.select('account'))
    .limit(1)
    .executeTakeFirst();
}

/** True if the job of an attempt is paid for with another attempt. */
export function isPaidElsewhere({ charged, chargedFrom }: Pick<ChargeRecord, 'charged' | 'chargedFrom'>): boolean {
  return charged === 0 && chargedFrom === null;
}

/** Why an attempt stays in doubt although its answer came. */
export function takenFailure(jobId: string, holder: AttemptKey): Failure {
  const message =
    `The answer came late and named job ${jobId.slice(0, 100)}, which row ${holder.row} of batch "${holder.batch}" has. ` +
    'Only one of the two requests made that job; the other one may have been charged, and nobody knows for what.';
  return { class: 'OutcomeUnknown', message: message.slice(0, 500), cause: 'its job is that of another row' };
}
