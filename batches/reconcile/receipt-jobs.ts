import { partId } from '../../contract/row-parts.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { missingRequests } from '../../policy/reconcile/missing-requests.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import type { Receipt } from '../../results/receipt.ts';

/**
 * A job that a row, or a part of it, can be given. `id`: of the row or the part. `take`: the take (a paid run of the
 * row) to name in the command: the one that begins with the job, if the row has ended, or an earlier one, if its
 * request is unknown. Omitted for the present take.
 */
export interface ReceiptJob {
  readonly row: number;
  readonly id: string;
  readonly take?: number;
  readonly jobId: string;
}

/** The part of a receipt that matters here. */
type PaidReceipt = Pick<Receipt, 'part' | 'step' | 'take' | 'job_id'>;

/**
 * The job that each part of a row, or the row itself, can be given: that of the first request that fits; later ones
 * were made with its result. `receipts`: of requests that the ledger lacks, or has as unknown.
 */
export function firstJobs(
  whole: RowSnapshot,
  parts: readonly RowSnapshot[],
  receipts: readonly PaidReceipt[],
): readonly ReceiptJob[] {
  const { row } = whole;
  const numbers = [...new Set(receipts.map(({ part }) => part))];
  return numbers.flatMap((part) => {
    const one = part === undefined ? whole : parts[part - 1];
    const id = part === undefined ? row.id : partId(row.id, part);
    const job =
      one &&
      jobFor(
        one,
        receipts.filter((receipt) => receipt.part === part),
      );
    return job === undefined ? [] : [{ row: row.row, id, ...job }];
  });
}

/** The first of these jobs that a row, or a part, can be given. */
function jobFor(
  { row, charges }: RowSnapshot,
  receipts: readonly PaidReceipt[],
): Pick<ReceiptJob, 'take' | 'jobId'> | undefined {
  const requests = missingRequests(row, charges);
  for (const { step, take, job_id: jobId } of receipts.toSorted((a, b) => a.take - b.take)) {
    const isUnknown = charges.some((one) => one.step === step && one.take === take && one.state === 'unknown');
    const target = isUnknown ? take : requests.find((one) => one.step === step)?.take;
    if (target === undefined) continue;
    // Later jobs were made with this one's result, so none fits without it.
    if (jobId === null) return undefined;
    return { ...(target !== presentTake(row) && { take: target }), jobId };
  }
  return undefined;
}
