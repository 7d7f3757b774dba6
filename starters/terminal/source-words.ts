import type { ResultSource } from '../../ledger/record-types.ts';
import { isoTime } from '../../results/receipt.ts';
import { oneLine } from './table.ts';

/** Which earlier result was used, or could not be. */
export function sourceWords({ is, from, jobId, madeAt }: ResultSource): string {
  const job = jobId === null ? '' : `, job ${oneLine(jobId)}`;
  const which = `the ${from.step} of row ${String(from.row)} of batch "${oneLine(from.batch)}" (take ${String(from.take)}${job}, ${isoTime(madeAt)})`;
  return is === 'used' ? `result: that of ${which}` : `made because the file of ${which} is ${is}`;
}
