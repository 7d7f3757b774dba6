import type { By } from '../../contract/actions.ts';
import { isFolderOf } from '../../contract/batch-name.ts';
import { defined } from '../../contract/defined.ts';
import type { NamedResultFile } from '../../contract/named-result-file.ts';
import { resultStepOf, stepsIn } from '../../contract/row-kinds.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { LedgerMisuse } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { isTakenWithoutJob } from '../../policy/reconcile/stored-result.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import { isSafe, placeOfKey } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';
import type { FreeReads } from '../free-reads.ts';
import type { NamedJob } from './adopt-job.ts';
import { withTimes } from './dated-files.ts';
import { readTake, type SettledRow, type SettleRefusal } from './decisions.ts';
import { isLostFolder, newestPerStep } from './forgotten-results.ts';

/** Whether a person named a file of the store in place of a job: its key names a folder and a row. */
export function isStoredFile(name: string): boolean {
  return name.includes('/') && placeOfKey(name) !== undefined;
}

/**
 * Gives a row the stored result that a person names by its key, free: a result of a request that a restored ledger
 * lacks, in the folder of a lost batch of the same name, or of the row's next take. What the store has of the row's
 * other steps counts as paid for, too. Refused if the key is not of this row, if another take or batch has that file,
 * or if a later step needs the job.
 */
export async function adoptFile(
  ledger: Ledger,
  {
    reads,
    store,
  }: { readonly reads: Pick<FreeReads, 'recoverAnswer'>; readonly store: Pick<Store, 'list' | 'measure'> },
  batch: BatchRecord,
  { row, take: named, jobId: key }: NamedJob,
  by: By,
): Promise<SettledRow> {
  const { snapshot, name } = await readTake(ledger, batch.name, { row });
  const facts = { ...name, jobId: key };
  const refused = (
    type: Extract<SettleRefusal['type'], 'other-file' | 'no-file' | 'needs-job' | 'moved-on'>,
  ): SettledRow => ({
    ...facts,
    type: 'refused',
    why: { type },
  });
  const file = isSafe(key) ? placeOfKey(key) : undefined;
  if (snapshot === undefined || file?.row !== row) return refused('other-file');
  const { spec } = snapshot.row;
  const folder = key.slice(0, key.indexOf('/'));
  const alike = await batchesLike(ledger, folder);
  const isLost = isLostFolder(batch, folder) && alike.every(({ layout }) => layout.stem !== folder);
  const take = named ?? (isLost ? presentTake(snapshot.row) : file.take);
  const isItsOwn = folder === batch.layout.stem && file.take === take;
  if (file.step !== resultStepOf(spec) || !(isLost || isItsOwn)) return refused('other-file');
  if (await isElsewhere(ledger, alike, { key, row, batch: batch.name, take })) return refused('other-file');
  if (!isTakenWithoutJob(spec, { step: file.step, take }, batch.settings.tts)) return refused('needs-job');
  const files = await filesBeside(store, file);
  const all = newestPerStep(spec, isLost ? files : files.filter((one) => one.take === take));
  const dated = await withTimes(store, [file, ...all.filter(({ step }) => step !== file.step)]);
  if (dated[0]?.key !== key) return refused('no-file');
  const inOrder = stepsIn(spec).flatMap((step) => dated.filter((one) => one.step === step));
  const ofTake = inOrder.map((one) => ({ ...one, take }));
  try {
    await ledger.noteNamedFiles(batch.name, { named: key, files: ofTake }, by);
  } catch (error) {
    if (!(error instanceof LedgerMisuse)) throw error;
    return refused('moved-on');
  }
  // The result comes first: a check is judged by it, and without it the job of a step before would be needed.
  for (const step of [file.step, ...stepsIn(spec).filter((one) => one !== file.step)]) {
    const now = await ledger.readRow(batch.name, row);
    const attempt = now?.charges.findLast((one) => one.step === step && one.take === take && one.state === 'unknown');
    if (attempt === undefined) {
      const has = now?.charges.some((one) => one.step === step && one.take === take && one.file?.key === key);
      if (step === file.step && has !== true) return refused('moved-on');
      continue;
    }
    const trace = await reads.recoverAnswer(attempt);
    if (trace.type === 'unreadable') return { ...facts, ...trace };
    if (trace.type !== 'found' && step === file.step)
      return trace.type === 'none' ? refused('no-file') : { ...facts, ...trace };
  }
  return { ...facts, type: 'found', ...defined({ newTake: take > snapshot.row.take ? take : undefined }) };
}

/** Lists the results of a file's row in its folder. */
async function filesBeside(store: Pick<Store, 'list'>, { key, row }: NamedResultFile): Promise<NamedResultFile[]> {
  const files: NamedResultFile[] = [];
  for await (const one of store.list(key.slice(0, key.lastIndexOf('/')))) {
    const file = placeOfKey(one);
    if (file?.row === row) files.push(file);
  }
  return files;
}

/** The batches in the ledger that this folder of the store may belong to, by its name. */
async function batchesLike(ledger: Ledger, folder: string): Promise<readonly BatchRecord[]> {
  return (await ledger.listBatches()).filter(({ name, layout }) => isFolderOf(name, folder) || layout.stem === folder);
}

/** Whether another take of the row, or its row in one of these batches, has the file: it was paid for once. */
async function isElsewhere(
  ledger: Ledger,
  batches: readonly BatchRecord[],
  {
    key,
    row,
    batch,
    take,
  }: { readonly key: string; readonly row: number; readonly batch: string; readonly take: number },
): Promise<boolean> {
  for (const { name } of batches) {
    const charges = (await ledger.readRow(name, row))?.charges ?? [];
    if (charges.some((one) => one.file?.key === key && (name !== batch || one.take !== take))) return true;
  }
  return false;
}
