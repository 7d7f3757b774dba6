import { join } from 'node:path';
import { defined } from '../../contract/defined.ts';
import { mayBeCharged } from '../../contract/outcomes.ts';
import { roundCredits } from '../../contract/price-units.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ReleasedJob } from '../../ledger/requests/decision-records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { RECEIPTS_JSONL } from '../../results/out-files.ts';
import { lstatsOf } from '../../results/files.ts';
import { acceptedCopy, formerFolders, newerThan, readFolderState } from '../../results/former-files.ts';
import { attemptsOf, rowNumberOf } from '../../results/newest-request.ts';
import { receiptSchema, type Receipt } from '../../results/receipt.ts';
import type { JoblessRequest } from './forgotten-results.ts';
import type { ReceiptJob } from './receipt-jobs.ts';
import { readJsonRows, RowSource } from '../../results/row-source.ts';
import { describeMismatch, Findings } from '../../results/verification/mismatch.ts';

/** Paid requests on the receipts of an out folder that the ledger lacks; and jobs of requests it has as unknown. */
export interface ForgottenRequests {
  /** Rows with requests that the ledger lacks, by id. */
  readonly rows: readonly string[];
  /** What they were charged, or quoted; those without a known price count as 0. */
  readonly credits: number;
  /** The job that each row, or each part, can be given now by a person: the first that the ledger lacks. */
  readonly jobs: readonly ReceiptJob[];
  /** The missing requests whose receipts name no job that a person could give to the row. */
  readonly jobless: readonly JoblessRequest[];
  /** The folders with such receipts: the out folder, or subfolders with files kept from before a restore. */
  readonly folders: readonly string[];
  /** All jobs on those receipts, also those that no row can be given yet. */
  readonly named: readonly StepJob[];
  /** The first line of receipts that cannot be read, and why: others may be missing, too. Omitted if all can. */
  readonly unread?: string;
}

/** A job, and the step that it was made for: jobs of different steps may have the same id. */
export type StepJob = Pick<Receipt, 'step'> & { readonly jobId: string };

/** The fields of a receipt that are compared with the ledger. */
const paidSchema = receiptSchema.pick({
  part: true,
  step: true,
  take: true,
  attempt: true,
  verdict: true,
  quoted: true,
  charged: true,
  job_id: true,
});
type Paid = Pick<Receipt, keyof typeof paidSchema.shape>;

/**
 * Finds the paid requests that are on the receipts of the batch's out folder and missing from the ledger, which would
 * pay for them again. As no record of a request is ever removed, such a ledger is older than the folder: it was
 * restored from a backup. Undefined if there are none. The out folder's own receipts are read only if {@link newerThan}
 * says that the ledger may be older; those kept in subfolders always, because the command that replaced them may not
 * have compared them. Also finds the jobs of requests that the ledger has as unknown; with `isResubmitted` (they are to
 * be made again), these count as missing. Leaves out jobs that a person has taken back from the row.
 */
export async function forgottenRequests(
  out: string,
  batch: string,
  ledger: Pick<Ledger, 'id' | 'acceptedAt' | 'readRow' | 'scanRows' | 'partsOf' | 'releasedJobs'>,
  isResubmitted = false,
): Promise<ForgottenRequests | undefined> {
  const sources = await sourcesOf(out, batch, ledger);
  if (sources.length === 0) return undefined;
  const released = await ledger.releasedJobs(batch);
  const named: StepJob[] = [];
  const rows: string[] = [];
  const jobs: ReceiptJob[] = [];
  const folders = new Set<string>();
  let credits = 0;
  const jobless: JoblessRequest[] = [];
  for await (const snapshot of ledger.scanRows(batch)) {
    const missing = new Map<string, Paid>();
    const unknown = new Map<string, Paid>();
    for (const { folder, receipts } of sources)
      for (const written of await receipts.take(snapshot.row.row)) {
        if (!mayBeCharged(written.verdict)) continue;
        const receipt = isReleased(written, snapshot, released) ? { ...written, job_id: null } : written;
        const found = findOnRecord(receipt, snapshot);
        if (found === 'request') continue;
        (found === 'unknown' && !isResubmitted ? unknown : missing).set(keyOf(receipt), receipt);
        folders.add(folder);
      }
    if (missing.size > 0) rows.push(snapshot.row.id);
    else if (unknown.size === 0) continue;
    const lacking = [...unknown.values(), ...missing.values()];
    const parts = snapshot.row.parts === null ? [] : await ledger.partsOf(batch, snapshot.row.row);
    // Imported here, because it is seldom needed.
    const { firstJobs } = await import('./receipt-jobs.ts');
    jobs.push(...firstJobs(snapshot, parts, lacking));
    named.push(...lacking.flatMap(({ step, job_id: jobId }) => (jobId === null ? [] : [{ step, jobId }])));
    for (const receipt of missing.values()) {
      const { charged, quoted, step, take, part, job_id: jobId } = receipt;
      credits += charged ?? quoted ?? 0;
      if (jobId === null) jobless.push({ row: rowNumberOf(part, snapshot), step, take });
    }
  }
  const [unread] = sources.flatMap(({ folder, findings }) => {
    const [first] = findings.list();
    if (first !== undefined) folders.add(folder);
    return first === undefined ? [] : [describeMismatch(first)];
  });
  if (rows.length + jobs.length === 0 && unread === undefined) return undefined;
  const found = { rows, credits: roundCredits(credits), jobs, jobless, folders: [...folders], named };
  return { ...found, ...defined({ unread }) };
}

/** Paid requests on the receipts of an out folder, on record or not. `credits`: as in {@link ForgottenRequests}. */
export interface PaidRequests {
  readonly requests: number;
  readonly credits: number;
}

/** Counts what is on the receipts of an out folder; nothing if it has none. */
export async function countPaid(out: string): Promise<PaidRequests> {
  const path = join(out, RECEIPTS_JSONL);
  const paid: Paid[] = [];
  if ((await lstatsOf(path))?.isFile() === true)
    for await (const line of readJsonRows(path, 'row', paidSchema))
      if ('value' in line && mayBeCharged(line.value.verdict)) paid.push(line.value);
  const credits = paid.reduce((sum, { charged, quoted }) => sum + (charged ?? quoted ?? 0), 0);
  return { requests: paid.length, credits: roundCredits(credits) };
}

interface Source {
  readonly folder: string;
  readonly receipts: RowSource<Paid>;
  /** The lines that could not be read. */
  readonly findings: Findings;
}

/** The receipts to compare with the ledger, by folder. */
async function sourcesOf(
  out: string,
  batch: string,
  ledger: Pick<Ledger, 'id' | 'acceptedAt' | 'readRow'>,
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for (const folder of [out, ...(await formerFolders(out))]) {
    const state = await readFolderState(folder, batch, ledger);
    if (state === undefined) continue;
    const isOfNow = folder === out && (await newerThan(state, batch, ledger, await acceptedCopy(ledger))) === undefined;
    const path = join(folder, RECEIPTS_JSONL);
    if (isOfNow || (await lstatsOf(path))?.isFile() !== true) continue;
    const findings = new Findings();
    sources.push({ folder, findings, receipts: new RowSource(path, readJsonRows(path, 'row', paidSchema), findings) });
  }
  return sources;
}

/**
 * Finds what the ledger has of a receipt. `request`: this request, or one under another number that was made for the
 * same, or its job, which a person may have given to another take. `unknown`: the request as unknown, and the receipt
 * names its job.
 */
function findOnRecord(receipt: Paid, snapshot: RowSnapshot): 'request' | 'unknown' | 'nothing' {
  if (hasJob(receipt, snapshot)) return 'request';
  const attempts = attemptsOf(receipt, snapshot);
  if (receipt.job_id !== null && attempts.some(({ state }) => state === 'unknown')) return 'unknown';
  const isMade = attempts.some(
    ({ attempt, state }) => attempt === receipt.attempt || !['not-accepted', 'revoked'].includes(state),
  );
  return isMade ? 'request' : 'nothing';
}

/** Whether a person has taken the receipt's job back from the row, and not given it again: it is not the row's. */
function isReleased(receipt: Paid, snapshot: RowSnapshot, released: readonly ReleasedJob[]): boolean {
  const { part, step, job_id: jobId } = receipt;
  const row = rowNumberOf(part, snapshot);
  return (
    !hasJob(receipt, snapshot) && released.some((one) => one.row === row && one.step === step && one.jobId === jobId)
  );
}

function hasJob({ step, job_id: jobId }: Paid, { charges }: RowSnapshot): boolean {
  return jobId !== null && charges.some((one) => one.step === step && one.jobId === jobId);
}

function keyOf({ part, step, take, attempt }: Paid): string {
  return [part ?? 0, step, take, attempt].join('/');
}
