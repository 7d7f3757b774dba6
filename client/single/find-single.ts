import { areRowsCleaned } from '../../batches/clean/cleaned-rows.ts';
import {
  readSingleJob,
  singleName,
  type JobReading,
  type ReadJob,
  type SingleJob,
  type SingleOptions,
  type SoundJob,
} from '../../batches/single/single-job.ts';
import { defined } from '../../contract/defined.ts';
import type { Account } from '../../contract/names.ts';
import { dialectOf } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { decideAgain, decideCleaned, type RepeatOptions, type SameAgain } from '../../policy/single/same-again.ts';
import { localMediaRules } from '../local-media/local-media-rules.ts';
import { refuseOption } from '../problem.ts';
import type { Settings } from '../settings.ts';

/** A recorded single job: its batch and its row. */
export interface SingleRecord extends RowSnapshot {
  readonly batch: BatchRecord;
}

/** Where a job is recorded, or would be. */
export interface SinglePlace {
  /** The job in its recorded dialect, or in the chosen one if it is not recorded. */
  readonly job: JobReading;
  /** Name of its batch, or of the batch that it would become. */
  readonly name: string;
  /** Undefined if it is not recorded, or only partly. */
  readonly found: SingleRecord | undefined;
}

type Reader = Pick<Ledger, 'findBatch' | 'readRow'>;

/**
 * Finds a recorded job in any dialect (version) of the API: a person repeats it in the same words, and its dialect
 * never changes. A batch whose request was removed by `clean` still counts as found, but `name` is then that of a new
 * batch, because the old one cannot run again. Throws {@link VoxbatchError} (`bad-option`) if another dialect is
 * requested.
 */
export async function findSingle(ledger: Reader, job: SoundJob, realm: Account): Promise<SinglePlace> {
  const own = await placeOf(ledger, job, realm);
  const others = await Promise.all(job.inOtherDialects.map((other) => placeOf(ledger, other, realm)));
  const places = [own, ...others].filter(({ found }) => found !== undefined);
  const live = places.find(({ found }) => found !== undefined && !areRowsCleaned(found.batch));
  requireDialect(job, live ?? places[0]);
  return live ?? { ...own, found: places[0]?.found };
}

/** The same job in another dialect would be paid for a second time. */
function requireDialect({ apiDialect }: SoundJob, recorded: SinglePlace | undefined): void {
  if (apiDialect === undefined || recorded?.found === undefined) return;
  const own = dialectOf(recorded.job.spec);
  if (own === apiDialect) return;
  const { name } = recorded.found.batch;
  const expected = `${own}, the dialect in which this was asked for before ("${name}"), or no dialect`;
  refuseOption('apiDialect (--api-dialect)', expected, apiDialect);
}

/** Finds a job in one dialect. After `clean` has removed its request, the same job gets a batch of the next edition. */
async function placeOf(ledger: Reader, job: JobReading, realm: Account): Promise<SinglePlace> {
  let cleaned: BatchRecord | undefined;
  for (let edition = 1; ; edition++) {
    const name = singleName(job, realm, edition);
    const batch = await ledger.findBatch(name);
    const isFree = batch === undefined || batch.state === 'loading';
    if (!isFree && areRowsCleaned(batch)) {
      cleaned = batch;
      continue;
    }
    const recorded = isFree ? cleaned : batch;
    return { job, name, found: recorded === undefined ? undefined : await readSingle(ledger, recorded) };
  }
}

/** Reads the recorded job of a batch: its only row. */
export async function readSingle(ledger: Pick<Ledger, 'readRow'>, batch: BatchRecord): Promise<SingleRecord> {
  const snapshot = await ledger.readRow(batch.name, 1);
  if (snapshot === undefined) throw new Error(`Batch "${batch.name}" has no row.`);
  return { batch, ...snapshot };
}

/** Decides what repeating a recorded job does. */
export function decideOn({ batch, row, charges }: SingleRecord, options: RepeatOptions): SameAgain {
  return areRowsCleaned(batch)
    ? decideCleaned(row, charges, options)
    : decideAgain(row, charges, options, batch.state !== 'closed');
}

/**
 * A job that was read. `faulty`: it has errors. `ended`: the record alone answers it; `held` says why it does not run
 * again by itself. `ready`: it can be requested.
 */
export type PreparedJob =
  | Extract<ReadJob, { readonly type: 'faulty' }>
  | {
      readonly type: 'ended';
      readonly record: SingleRecord;
      /** The ledger that holds the record. */
      readonly ledger: Ledger;
      readonly held: Extract<SameAgain, { readonly type: 'hold' }>['why'] | undefined;
    }
  | { readonly type: 'ready'; readonly job: SoundJob };

/** A requested job, before it is read. */
export interface PrepareRequest extends RepeatOptions {
  readonly job: SingleJob;
  readonly options: SingleOptions;
  readonly settings: Pick<Settings, 'config' | 'store'>;
  /** Address of the API; undefined if none is set. */
  readonly apiUrl: string | undefined;
  /** Undefined if none exists yet. */
  readonly ledger: Ledger | undefined;
}

/**
 * Reads a job and looks it up in the ledger. If the recorded one has ended, that is the answer, and the API is not
 * called. Text limits apply to new jobs only: a recorded job is neither refused nor split because of a limit learned
 * later.
 */
export async function prepareSingle(request: PrepareRequest): Promise<PreparedJob> {
  const { job, settings, apiUrl, ledger } = request;
  const { config } = settings;
  const options = { ...request.options, localMedia: localMediaRules(settings, apiUrl) };
  const recorded = await readSingleJob(job, { ...options, anyLength: true }, config);
  if (recorded.type === 'faulty') return recorded;
  const record = ledger && (await findOnRecord(ledger, recorded, apiUrl));
  if (ledger !== undefined && record !== undefined) {
    const decided = decideOn(record, request);
    const runs = decided.type === 'go-on' || decided.type === 'redrive';
    if (!runs) return { type: 'ended', record, ledger, held: decided.type === 'hold' ? decided.why : undefined };
    if (!areRowsCleaned(record.batch)) return { type: 'ready', job: recorded };
  }
  const textLimits = job.split === undefined ? undefined : await ledger?.textLimits(apiUrl ?? '');
  const read = await readSingleJob(job, { ...options, ...defined({ textLimits }) }, config);
  return read.type === 'faulty' ? read : { type: 'ready', job: read };
}

/**
 * Finds the job without calling the API. Works only if all batches at this address belong to one account: otherwise
 * only the API can say whose token this is.
 */
async function findOnRecord(ledger: Ledger, job: SoundJob, apiUrl = ''): Promise<SingleRecord | undefined> {
  const [account, ...others] = await ledger.accountsAt(apiUrl);
  if (account === undefined || others.length > 0) return undefined;
  return (await findSingle(ledger, job, { apiUrl, account })).found;
}
