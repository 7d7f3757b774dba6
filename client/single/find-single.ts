import { areRowsCleaned } from '../../batches/clean-batch.ts';
import { singleName, type SoundJob } from '../../batches/single-job.ts';
import type { Realm } from '../../contract/names.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, RowStanding } from '../../ledger/record-types.ts';

/** The batch of a single job, and its row. */
export interface SingleRecord extends RowStanding {
  readonly batch: BatchRecord;
}

/** Where a job is, or would be, on record. */
export interface SinglePlace {
  readonly name: string;
  /** Undefined: it is not on record, or not all of it is. */
  readonly found: SingleRecord | undefined;
}

type Reader = Pick<Ledger, 'findBatch' | 'readRow'>;

/**
 * Finds a job on record. A batch from which what it asked for was removed can neither be run again nor go on, so the
 * next one has another name.
 */
export async function findSingle(
  ledger: Reader,
  job: SoundJob,
  realm: Pick<Realm, 'apiUrl' | 'account'>,
): Promise<SinglePlace> {
  for (let edition = 1; ; edition++) {
    const name = singleName(job, realm, edition);
    const batch = await ledger.findBatch(name);
    if (batch === undefined || batch.state === 'loading') return { name, found: undefined };
    if (!areRowsCleaned(batch)) return { name, found: await readSingle(ledger, batch) };
  }
}

/** A job that is on record. */
export async function readSingle(ledger: Pick<Ledger, 'readRow'>, batch: BatchRecord): Promise<SingleRecord> {
  const standing = await ledger.readRow(batch.name, 1);
  if (standing === undefined) throw new Error(`Batch "${batch.name}" has no row.`);
  return { batch, ...standing };
}

/**
 * The job if it is on record, from the ledger alone. Only if all batches of this address are of one account: else the
 * API has to say whose token it is.
 */
export async function findOnRecord(
  ledger: Reader & Pick<Ledger, 'accountsAt'>,
  job: SoundJob,
  apiUrl: string,
): Promise<SingleRecord | undefined> {
  const [account, ...others] = await ledger.accountsAt(apiUrl);
  if (account === undefined || others.length > 0) return undefined;
  return (await findSingle(ledger, job, { apiUrl, account })).found;
}
