import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
import { readSingleJob, type ReadJob, type SingleJob, type SingleOptions } from '../../batches/single/single-job.ts';
import { realmOf } from '../open-api.ts';
import type { Session } from '../session.ts';
import { findSingle } from './find-single.ts';

/** Reads a job as it would be sent. One on record is neither refused nor cut for its length, whatever is known of limits by now. */
export async function readHere(job: SingleJob, options: SingleOptions, session: Session): Promise<ReadJob> {
  const { config } = session.settings;
  const read = await readSingleJob(job, options, config);
  if (read.type === 'sound') return read;
  const ofAnyLength = await readSingleJob(job, { ...options, anyLength: true }, config);
  if (ofAnyLength.type === 'faulty') return read;
  const { found } = await findSingle(await session.ledger(), ofAnyLength, realmOf(await session.api()));
  return found === undefined || areRowsCleaned(found.batch) ? read : ofAnyLength;
}
