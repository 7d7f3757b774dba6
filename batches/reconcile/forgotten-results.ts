import { isFolderOf } from '../../contract/batch-name.ts';
import { defined } from '../../contract/defined.ts';
import type { NamedResultFile } from '../../contract/named-result-file.ts';
import { hasResult, isLeftOut, mayBeCharged } from '../../contract/outcomes.ts';
import { resultStepOf, stepsIn, type Step } from '../../contract/row-kinds.ts';
import { nameOf, type NamedRow } from '../../contract/row-parts.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { missingRequests } from '../../policy/reconcile/missing-requests.ts';
import { isTakenWithoutJob } from '../../policy/reconcile/stored-result.ts';
import { placeOfKey } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';
import { findUnknownFolders } from './unknown-folders.ts';

/**
 * Results in the store of requests that a restored ledger lacks, and that no row has: they lie in the folder of a lost
 * batch whose name and rows another one has now, or belong to a later take without a job.
 */

/** A row, or a part of it, and the results that the store has of it. */
export interface ForgottenResult extends NamedRow {
  /** The steps of these results, in order. */
  readonly steps: readonly Step[];
  /** The file of the last one, by its key in the store. */
  readonly key: string;
  /** Whether a person can give this file to the row; otherwise only the job that made it. */
  readonly isAdoptable: boolean;
  /** The take to name along with the row. Omitted for the present one. */
  readonly take?: number;
  /** Why a run may send the row: it is open, or `--limit`, `--sample` or the budget left it out. Null: none does. */
  readonly unsent: 'open' | 'left-out' | null;
}

/** The folders of a store. */
export type ResultFolders = Pick<Store, 'folders' | 'list'>;

/**
 * Finds the rows of a batch whose results lie in the folder of a lost batch of the same name, and whose requests are
 * not on record: rows that would be paid for again. By row number; that the lost batch had the same rows is for a
 * person to know. None unless the ledger is a copy that was accepted, such as a restored backup.
 */
export async function forgottenResults(
  ledger: Pick<Ledger, 'acceptedAt' | 'listBatches' | 'readRow'>,
  store: ResultFolders,
  { name, settings }: Pick<BatchRecord, 'name' | 'settings'>,
): Promise<readonly ForgottenResult[]> {
  const files = new Map<number, NamedResultFile[]>();
  for (const { folder } of (await findUnknownFolders(ledger, store, name)).named)
    for await (const file of filesIn(store, folder)) files.set(file.row, [...(files.get(file.row) ?? []), file]);
  const found: ForgottenResult[] = [];
  for (const [row, ofRow] of [...files].toSorted(([a], [b]) => a - b)) {
    const snapshot = await ledger.readRow(name, row);
    if (snapshot === undefined || snapshot.row.parts !== null || hasResult(snapshot.row.outcome)) continue;
    const { outcome, spec, take } = snapshot.row;
    const lacking = newestPerStep(spec, ofRow).filter((file) => !isOnRecord(file, snapshot));
    const last = lacking.find(({ step }) => step === resultStepOf(spec)) ?? lacking.at(-1);
    if (last === undefined) continue;
    found.push({
      ...nameOf(snapshot.row),
      steps: lacking.map(({ step }) => step as Step),
      key: last.key,
      isAdoptable: isAdoptable(last, snapshot, settings.tts),
      unsent: unsentAs(snapshot.row),
      // A row that has ended otherwise, such as one that was refused when it was sent again, takes it as its next take.
      ...defined({ take: outcome === null || isLeftOut(outcome) || outcome === 'unknown' ? undefined : take + 1 }),
    });
  }
  return found;
}

/** A request on a receipt that names no job; `row`: of the part, if the row is spoken in parts. */
export type JoblessRequest = Pick<NamedResultFile, 'row' | 'step' | 'take'>;

/**
 * Finds the results of such requests in the batch's own folder, as far as their rows can be given them: those of
 * synchronous speech, which has no job.
 */
export async function joblessResults(
  ledger: Pick<Ledger, 'readRow'>,
  store: Pick<Store, 'list'>,
  { name, layout, settings }: Pick<BatchRecord, 'name' | 'layout' | 'settings'>,
  requests: readonly JoblessRequest[],
): Promise<readonly ForgottenResult[]> {
  if (requests.length === 0) return [];
  const found: ForgottenResult[] = [];
  for await (const file of filesIn(store, layout.stem)) {
    const { row, step, take, key } = file;
    if (!requests.some((one) => one.row === row && one.step === step && one.take === take)) continue;
    const snapshot = await ledger.readRow(name, row);
    if (snapshot === undefined || !isAdoptable(file, snapshot, settings.tts)) continue;
    if (!missingRequests(snapshot.row, snapshot.charges).some((one) => one.step === step && one.take === take))
      continue;
    const isNext = take !== snapshot.row.take;
    const of = { ...nameOf(snapshot.row), steps: [step as Step], key, isAdoptable: true };
    found.push({ ...of, unsent: unsentAs(snapshot.row), ...defined({ take: isNext ? take : undefined }) });
  }
  return found;
}

function unsentAs({ outcome, failure }: RowSnapshot['row']): ForgottenResult['unsent'] {
  if (outcome === null) return 'open';
  return isLeftOut(outcome) && failure?.class !== 'NotCached' ? 'left-out' : null;
}

/** Whether a folder of the store may be that of a lost batch of this name. */
export function isLostFolder(batch: Pick<BatchRecord, 'name' | 'layout'>, folder: string): boolean {
  return folder !== batch.layout.stem && isFolderOf(batch.name, folder);
}

async function* filesIn(store: Pick<Store, 'list'>, folder: string): AsyncGenerator<NamedResultFile, undefined> {
  for await (const key of store.list(folder)) {
    const file = placeOfKey(key);
    if (file !== undefined) yield file;
  }
}

/** Returns the file of the highest take of each of the row's steps, in the order of the steps. */
export function newestPerStep(
  spec: RowSnapshot['row']['spec'],
  files: readonly NamedResultFile[],
): readonly NamedResultFile[] {
  return stepsIn(spec).flatMap((step) => {
    const [newest] = files.filter((file) => file.step === step).toSorted((a, b) => b.take - a.take);
    return newest ?? [];
  });
}

/**
 * Whether the row has a request of this step that may have been charged, or an earlier result in its place, unless a
 * person named this file for it.
 */
function isOnRecord({ step, key }: NamedResultFile, { charges }: RowSnapshot): boolean {
  return charges.some(
    (one) =>
      one.step === step &&
      (mayBeCharged(one.state) || one.state === 'cached') &&
      !(one.state === 'unknown' && one.failure?.storedAs === key),
  );
}

function isAdoptable(
  { step, take }: NamedResultFile,
  { row: { spec } }: RowSnapshot,
  tts: BatchRecord['settings']['tts'],
): boolean {
  return step === resultStepOf(spec) && isTakenWithoutJob(spec, { step, take }, tts);
}
