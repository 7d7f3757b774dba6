import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
import {
  readSingleJob,
  type ReadJob,
  type SingleJob,
  type SingleOptions,
  type SoundJob,
} from '../../batches/single/single-job.ts';
import { defined } from '../../contract/defined.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { AgainWish, SameAgain } from '../../policy/single/same-again.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import { openRecordsIfAny } from '../open-records.ts';
import { learntLimits } from '../run/check-run.ts';
import type { Settings } from '../settings.ts';
import { decideOn } from './ask-single.ts';
import { findOnRecord, type SingleRecord } from './find-single.ts';

/** A job that somebody asks for. */
export interface PrepareRequest extends AgainWish {
  readonly job: SingleJob;
  readonly options: SingleOptions;
  readonly settings: Settings;
  /** Address of the API; undefined if none is set. */
  readonly apiUrl: string | undefined;
}

/** A job that is over, by the record alone. `held`: why it is not run again by itself. */
export interface RecordedEnd {
  readonly record: SingleRecord;
  readonly held: Extract<SameAgain, { readonly type: 'hold' }>['why'] | undefined;
  readonly ledger: Ledger;
  readonly store: Store;
}

/** A job that is ready to be asked for; or what `end` made of one that is over; or what is wrong with it. */
export type PreparedJob<T> =
  | Extract<ReadJob, { readonly type: 'faulty' }>
  | { readonly type: 'ended'; readonly made: T }
  | { readonly type: 'ready'; readonly job: SoundJob };

/**
 * Reads a job, and looks for it on record: one that is over is ended by that alone, and nothing is asked of the API. One on record is neither refused
 * nor cut for the length of its text, whatever is known of limits by now.
 */
export async function prepareSingle<T>(
  { job, options, settings, apiUrl, again, resubmit }: PrepareRequest,
  end: (found: RecordedEnd) => Promise<T>,
): Promise<PreparedJob<T>> {
  const recorded = await readSingleJob(job, { ...options, anyLength: true }, settings.config);
  if (recorded.type === 'faulty') return recorded;
  const ledger = apiUrl === undefined ? undefined : await openRecordsIfAny(settings);
  try {
    const record = ledger && (await findOnRecord(ledger, recorded, apiUrl ?? ''));
    if (ledger !== undefined && record !== undefined) {
      const decided = decideOn(record, { again, resubmit });
      const goesOn = decided.type === 'go-on' || decided.type === 'redrive';
      if (goesOn && !areRowsCleaned(record.batch)) return { type: 'ready', job: recorded };
      if (!goesOn) {
        const store = await openStore(settings.store, settings.env);
        const held = decided.type === 'hold' ? decided.why : undefined;
        return { type: 'ended', made: await end({ record, held, ledger, store }).finally(() => store.close()) };
      }
    }
  } finally {
    await ledger?.close();
  }
  const textLimits = job.split === undefined ? undefined : await learntLimits(apiUrl, settings);
  const read = await readSingleJob(job, { ...options, ...defined({ textLimits }) }, settings.config);
  return read.type === 'faulty' ? read : { type: 'ready', job: read };
}
