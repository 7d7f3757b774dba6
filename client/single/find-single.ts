import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
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
import type { Config } from '../../inputs/config-file.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, RowStanding } from '../../ledger/record-types.ts';
import { decideAgain, decideCleaned, type AgainWish, type SameAgain } from '../../policy/single/same-again.ts';
import { refuseOption } from '../problem.ts';

/** The batch of a single job, and its row. */
export interface SingleRecord extends RowStanding {
  readonly batch: BatchRecord;
}

/** Where a job is, or would be, on record. */
export interface SinglePlace {
  /** The job in the dialect that it has on record, else in the one that is chosen now. */
  readonly job: JobReading;
  /** The batch that it is, or a new one would be. */
  readonly name: string;
  /** Undefined: it is not on record, or not all of it is. */
  readonly found: SingleRecord | undefined;
}

type Reader = Pick<Ledger, 'findBatch' | 'readRow'>;

/**
 * Finds a job on record, in whatever dialect of the API: it is asked for again by the same words, and its dialect is for
 * good. A batch from which what it asked for was removed still counts, and `name` is then another one, because that batch
 * can neither be run again nor go on. Throws {@link VoxbatchError} (`bad-option`) if another dialect is asked for.
 */
export async function findSingle(ledger: Reader, job: SoundJob, realm: Account): Promise<SinglePlace> {
  const own = await placeOf(ledger, job, realm);
  const others = await Promise.all(job.inOtherDialects.map((other) => placeOf(ledger, other, realm)));
  const places = [own, ...others].filter(({ found }) => found !== undefined);
  const live = places.find(({ found }) => found !== undefined && !areRowsCleaned(found.batch));
  requireDialect(job, live ?? places[0]);
  return live ?? { ...own, found: places[0]?.found };
}

/** A job in another dialect would be paid for beside the one that is there. */
function requireDialect({ apiDialect }: SoundJob, recorded: SinglePlace | undefined): void {
  if (apiDialect === undefined || recorded?.found === undefined) return;
  const own = dialectOf(recorded.job.spec);
  if (own === apiDialect) return;
  const { name } = recorded.found.batch;
  const expected = `${own}, the dialect in which this was asked for before ("${name}"), or no dialect`;
  refuseOption('apiDialect (--api-dialect)', expected, apiDialect);
}

async function placeOf(ledger: Reader, job: JobReading, realm: Account): Promise<SinglePlace> {
  let cleaned: BatchRecord | undefined;
  for (let edition = 1; ; edition++) {
    const name = singleName(job, realm, edition);
    const batch = await ledger.findBatch(name);
    const isOver = batch === undefined || batch.state === 'loading';
    if (!isOver && areRowsCleaned(batch)) {
      cleaned = batch;
      continue;
    }
    const there = isOver ? cleaned : batch;
    return { job, name, found: there === undefined ? undefined : await readSingle(ledger, there) };
  }
}

/** A job that is on record. */
export async function readSingle(ledger: Pick<Ledger, 'readRow'>, batch: BatchRecord): Promise<SingleRecord> {
  const standing = await ledger.readRow(batch.name, 1);
  if (standing === undefined) throw new Error(`Batch "${batch.name}" has no row.`);
  return { batch, ...standing };
}

/** What asking for a job on record again does. */
export function decideOn({ batch, row, charges }: SingleRecord, wish: AgainWish): SameAgain {
  return areRowsCleaned(batch)
    ? decideCleaned(row, charges, wish)
    : decideAgain(row, charges, wish, batch.state !== 'closed');
}

/**
 * A job that is ready to be asked for, or that is over by the record alone (`held`: why it is not run again by itself),
 * or what is wrong with it.
 */
export type PreparedJob =
  | Extract<ReadJob, { readonly type: 'faulty' }>
  | {
      readonly type: 'ended';
      readonly record: SingleRecord;
      /** That it was found in. */
      readonly ledger: Ledger;
      readonly held: Extract<SameAgain, { readonly type: 'hold' }>['why'] | undefined;
    }
  | { readonly type: 'ready'; readonly job: SoundJob };

/** A job that somebody asks for. */
export interface PrepareRequest extends AgainWish {
  readonly job: SingleJob;
  readonly options: SingleOptions;
  readonly config: Config;
  /** Address of the API; undefined if none is set. */
  readonly apiUrl: string | undefined;
  /** Undefined if there is none. */
  readonly ledger: Ledger | undefined;
}

/**
 * Reads a job, and looks for it on record: one that is over is ended by that alone, and nothing is asked of the API.
 * One on record is neither refused nor cut for the length of its text, whatever is known of limits by now.
 */
export async function prepareSingle(request: PrepareRequest): Promise<PreparedJob> {
  const { job, options, config, apiUrl, ledger } = request;
  const recorded = await readSingleJob(job, { ...options, anyLength: true }, config);
  if (recorded.type === 'faulty') return recorded;
  const record = ledger && (await findOnRecord(ledger, recorded, apiUrl));
  if (ledger !== undefined && record !== undefined) {
    const decided = decideOn(record, request);
    const goesOn = decided.type === 'go-on' || decided.type === 'redrive';
    if (!goesOn) return { type: 'ended', record, ledger, held: decided.type === 'hold' ? decided.why : undefined };
    if (!areRowsCleaned(record.batch)) return { type: 'ready', job: recorded };
  }
  const textLimits = job.split === undefined ? undefined : await ledger?.textLimits(apiUrl ?? '');
  const read = await readSingleJob(job, { ...options, ...defined({ textLimits }) }, config);
  return read.type === 'faulty' ? read : { type: 'ready', job: read };
}

/**
 * The job if it is on record, from the ledger alone. Only if all batches of this address are of one account: else the
 * API has to say whose token it is.
 */
async function findOnRecord(ledger: Ledger, job: SoundJob, apiUrl = ''): Promise<SingleRecord | undefined> {
  const [account, ...others] = await ledger.accountsAt(apiUrl);
  if (account === undefined || others.length > 0) return undefined;
  return (await findSingle(ledger, job, { apiUrl, account })).found;
}
