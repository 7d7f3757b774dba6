import { attemptKeyOf } from '../contract/batch.ts';
import type { ResultRecord, ResultSource } from './record-types.ts';

/** What is recorded of an earlier result with the attempt that used it, or could not. */
export function sourceOf(result: ResultRecord, is: ResultSource['is']): ResultSource {
  const { jobId, madeAt, credits } = result;
  return { is, from: attemptKeyOf(result), jobId, madeAt, credits };
}
