import { areRowsCleaned } from '../../batches/clean/cleaned-rows.ts';
import { lacksOnlyCheck } from '../../batches/status/leftovers.ts';
import { exitOfView } from '../../batches/status/view-batch.ts';
import type { ResultFolders } from '../../batches/reconcile/forgotten-results.ts';
import { isBroughtBackFree } from '../../batches/redrive/find-loss.ts';
import { viewExitAfter, type ExitName } from '../../contract/exit-codes.ts';
import { resultOf } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { FileLoss } from '../../contract/file-loss.ts';
import { copyOut } from '../../results/copy-out.ts';
import { checkStored } from '../../results/files.ts';
import { creditsOf, resultFields } from '../../results/result-line.ts';
import type { Store } from '../../store/store.ts';
import type { Readable } from 'node:stream';
import type { SingleRecord } from './find-single.ts';

/** A recorded job with everything that is shown of it. */
export type SingleView = ReturnType<typeof singleView>;

/**
 * Adds to a recorded job what is derived from it. `uncertain`: credits that may have been charged for its requests.
 * `isStored`: a restored ledger lacks its result, and the store has it.
 */
export function singleView(record: SingleRecord, uncertain: number, isStored = false) {
  return {
    ...record,
    uncertain,
    isStored,
    /** Known charges of its latest take. */
    creditsOfTake: creditsOf(record.charges.filter(({ take }) => take === record.row.take)),
    /** As in the tables of a batch. */
    fields: resultFields(record, record.batch.name, ''),
    /** `clean` removed its request. */
    isCleaned: areRowsCleaned(record.batch),
    /** Its result is paid for and stored; only the answer of its check is missing. */
    lacksOnlyCheck: lacksOnlyCheck(record),
  };
}

/** Reads a recorded job's current state, and the exit code of a command that only shows it. */
export async function viewSingle(
  ledger: Pick<Ledger, 'counts' | 'money' | 'acceptedAt' | 'listBatches' | 'readRow'>,
  store: ResultFolders,
  record: SingleRecord,
) {
  const { batch, row } = record;
  let isStored = false;
  if (row.outcome === 'skipped') {
    // Seldom needed, so loaded here.
    const { forgottenResults } = await import('../../batches/reconcile/forgotten-results.ts');
    isStored = (await forgottenResults(ledger, store, batch)).length > 0;
  }
  const { uncertain } = await ledger.money(batch.name);
  const exit = exitOfView({ batch, counts: await ledger.counts(batch.name) });
  return { view: singleView(record, uncertain, isStored), exit };
}

/**
 * Views a job for `--json`.
 *
 * @param file path of its result; null if it has none
 * @param isOld nothing was sent for it this time
 * @param next the command that continues another take, if this command has recorded one
 */
export function viewJob(
  { batch, row, fields }: SingleView,
  exit: ExitName,
  file: string | null,
  isOld: boolean,
  next?: string,
) {
  return {
    ...{ batch: batch.name, ...viewExitAfter(exit, next), outcome: row.outcome, file, text: row.text },
    ...(resultOf(row.kind) === 'voice' ? { voice: row.text } : {}),
    ...{ credits: fields._credits, creditsKind: fields._credits_kind, take: fields._take, jobIds: fields._job_ids },
    errorClass: fields._error_class === '' ? null : fields._error_class,
    message: fields._message === '' ? null : fields._message,
    wasFinished: isOld,
  };
}

/** A result to be copied out of the store. */
export interface CopyResultRequest {
  readonly record: SingleRecord;
  /** Which of its files. */
  readonly file: NonNullable<SingleRecord['row']['file']>;
  readonly store: Pick<Store, 'read'>;
  /** The target path; null for a stream. `replace`: overwrite an existing file. */
  readonly to: { readonly path: string; readonly replace: boolean } | null;
}

/**
 * The outcome of copying a result. `written`: it is at the path, perhaps from an earlier copy. `exists`: there is
 * another file at the path. `damaged`: the store no longer gives the file as it was. `isRemoved`: it was removed on
 * purpose. `isFree`: a redrive restores it for free.
 */
export type CopiedResult =
  | { readonly type: 'stream'; readonly body: Readable }
  | { readonly type: 'written' | 'exists' }
  | {
      readonly type: 'damaged';
      readonly is: FileLoss;
      readonly isRemoved: boolean;
      readonly isFree: boolean;
    };

/** Copies a file of a job atomically. Throws a system error if the path cannot be written. */
export async function copyResult({ record, file, store, to }: CopyResultRequest): Promise<CopiedResult> {
  const is = to === null ? await checkStored(file, store) : await copyOut(file, store, to.path, to);
  switch (is) {
    case 'intact':
      return { type: 'stream', body: await store.read(file.key) };
    case 'written':
    case 'kept':
      return { type: 'written' };
    case 'other':
      return { type: 'exists' };
    default: {
      // Only the main file records a removal of all of them.
      const isRemoved = is === 'missing' && [file, record.row.file].some((one) => one?.removedAt !== undefined);
      return { type: 'damaged', is, isRemoved, isFree: isBroughtBackFree(record, is) };
    }
  }
}
