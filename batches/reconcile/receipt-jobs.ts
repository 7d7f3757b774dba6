import { partId } from '../../contract/row-parts.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { lackingRequests } from '../../policy/reconcile/lacking-requests.ts';
import type { Receipt } from '../../results/receipt.ts';

/**
 * A job of a row, or of a part of it. `id`: of the row or the part. `take`: the take that begins with it, if the row
 * has ended; it has to be named.
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
 * were made with its result.
 */
export function firstJobs(
  whole: RowSnapshot,
  parts: readonly RowSnapshot[],
  lacking: readonly PaidReceipt[],
): readonly ReceiptJob[] {
  const { row } = whole;
  const numbers = [...new Set(lacking.map(({ part }) => part))];
  return numbers.flatMap((part) => {
    const one = part === undefined ? whole : parts[part - 1];
    const id = part === undefined ? row.id : partId(row.id, part);
    const job =
      one &&
      jobFor(
        one,
        lacking.filter((receipt) => receipt.part === part),
      );
    return job === undefined ? [] : [{ row: row.row, id, ...job }];
  });
}

/** The first of these jobs that a row, or a part, can be given. */
function jobFor(
  { row, charges }: RowSnapshot,
  lacking: readonly PaidReceipt[],
): Pick<ReceiptJob, 'take' | 'jobId'> | undefined {
  const requests = lackingRequests(row, charges);
  const found = lacking
    .toSorted((a, b) => a.take - b.take)
    .find((receipt) => requests.some(({ step }) => step === receipt.step));
  const take = requests.at(0)?.take ?? row.take;
  return found === undefined || found.job_id === null
    ? undefined
    : { ...(take > row.take && { take }), jobId: found.job_id };
}
