import type { Selectable } from 'kysely';
import type { By } from '../../contract/actions.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import type { DatedResultFile, NamedResultFile } from '../../contract/named-result-file.ts';
import { STEPS, stepsIn, type Step } from '../../contract/row-kinds.ts';
import { quoteFrom } from '../../policy/money/pricing.ts';
import { foundInStore, isProcessEnd } from '../../policy/reconcile/process-end.ts';
import { readBatchLine } from '../batches/read-batches.ts';
import { setBatch } from '../batches/set-batch.ts';
import { isHeld, keepUnplaced } from '../database/copy-doubts.ts';
import { readSnapshot, write } from '../database/transactions.ts';
import { LedgerMisuse } from '../errors.ts';
import { noteAction } from '../history/actions.ts';
import { toFailure } from '../records.ts';
import { toSettings } from '../batches/batch-records.ts';
import { applyEffect, effectOf } from '../rows/endings.ts';
import { endingColumns } from '../rows/update-row.ts';
import { RowInTransaction } from '../rows/row-in-transaction.ts';
import { selectChargesOf } from '../rows/rows.ts';
import type { ChargeLine, Db, Tx } from '../schema.ts';
import type { BatchesTable } from '../tables/batches.ts';
import { undoTake } from '../takes/undo-take.ts';
import { settleAttempt } from './settle.ts';
import { chargeOfIntent, findBlocking } from './intents.ts';

/**
 * Files in the store that prove that requests were sent after the backup from which the ledger was restored: a result
 * is there, and no answer that brought it is on record. Such a row must not be sent again: its request is put on record
 * as one in doubt, with the file, and is settled like any other.
 */

/** Of these files of a batch, those for which no answer is on record. Changes nothing. */
export async function filesWithoutAnswer(
  db: Db,
  batch: string,
  files: readonly NamedResultFile[],
): Promise<readonly NamedResultFile[]> {
  const rows = [...new Set(files.map(({ row }) => row))].map((row) => ({ batch, row }));
  const charges = await readSnapshot(db, (tx) => selectChargesOf(tx, rows));
  return files.filter(
    (file) => isStep(file.step) && !charges.some((one) => one.row === file.row && isOf(one, file) && hasAnswer(one)),
  );
}

/** What was put on record for files. */
export interface NotedFiles {
  /** Rows with a request in doubt whose result was found. */
  readonly rows: readonly number[];
  /** Names of files of a row or take that the ledger does not know, or has ended otherwise. */
  readonly unplaced: readonly string[];
}

/**
 * Puts on record that these results were found, each of another step of a take, of a batch that waits for a person
 * since a copy was accepted. Their requests were made at `from` at the earliest. What has no place in the ledger
 * forbids to resume the batch until a person has seen it. Throws {@link LedgerMisuse} if somebody has resumed the
 * batch. Repeatable.
 */
export async function noteFoundFiles(
  db: Db,
  name: string,
  files: readonly DatedResultFile[],
  { from, by }: { readonly from: number; readonly by: By },
): Promise<NotedFiles> {
  return write(
    db,
    async (tx) => {
      if (!(await isHeld(tx, name))) throw new LedgerMisuse(`Batch "${name}" was resumed meanwhile.`);
      const batch = await readBatchLine(tx, name);
      const rows = new Set<number>();
      const unplaced: string[] = [];
      for (const file of files) {
        const became = await noteFile(tx, batch, file, from);
        if (became === 'noted') rows.add(file.row);
        if (became === 'unplaced') unplaced.push(file.key);
      }
      if (rows.size > 0 && batch.started_at === null) await setBatch(tx, name, { started_at: from });
      await noteAction(tx, by, { kind: 'compare-store', batch: name, rows: [...rows] });
      return { rows: [...rows], unplaced };
    },
    (tx) => [
      readBatchLine(tx, name),
      ...files.flatMap(({ row }) => RowInTransaction.prefetch(tx, { batch: name, row })),
    ],
  );
}

async function noteFile(
  tx: Tx,
  batch: Selectable<BatchesTable>,
  file: DatedResultFile,
  from: number,
): Promise<'noted' | 'unplaced' | 'known'> {
  const { step, take } = file;
  if (!isStep(step)) return 'known';
  const failure = foundInStore(file);
  const row = await find(tx, { batch: batch.name, row: file.row });
  const ofStep = row?.chargesOf(step) ?? [];
  const last = ofStep.filter((one) => isOf(one, file)).at(-1);
  if (last !== undefined && hasAnswer(last)) return 'known';
  const key = { batch: batch.name, row: file.row, step, take, attempt: (last?.attempt ?? 0) + 1 };
  if (row !== undefined && (last?.state === 'sending' || last?.state === 'unknown')) {
    if (last.state === 'sending')
      await settleAttempt(row, last, { verdict: 'unknown', failure }, { state: 'submitting' });
    else await row.changeCharge(last, { failure: JSON.stringify(failure) });
    if (!row.isAt(take) && row.line.outcome === null && !(await goBack(row, take))) {
      await keepUnplaced(tx, { key, at: file.writtenAt, jobId: null });
      return 'unplaced';
    }
    if (row.isAt(take)) await endInDoubt(row, step, failure);
    return 'noted';
  }
  if (
    row === undefined ||
    batch.state === 'loading' ||
    !mayTake(row, step, take) ||
    findBlocking(ofStep, key) !== undefined
  ) {
    await keepUnplaced(tx, { key, at: file.writtenAt, jobId: null });
    return 'unplaced';
  }
  const settings = toSettings(batch.settings);
  const quote = quoteFrom(row.line.kind, step, row.spec, settings);
  const intent = { ...quote, owner: '', maxSending: 0 };
  const charge = chargeOfIntent(row, key, intent, settings, from);
  await row.addCharge({ ...charge, state: 'unknown', verdict_at: tx.now(), failure: JSON.stringify(failure) });
  await endInDoubt(row, step, failure);
  return 'noted';
}

/**
 * Undoes the take that was to replace a request of this one, if it was not sent: it would pay again for what is there.
 */
async function goBack(row: RowInTransaction, take: number): Promise<boolean> {
  const undone = await undoTake(row.tx, row.line);
  if (undone === undefined) return false;
  await row.change(undone.columns);
  return row.isAt(take);
}

/** Ends the row, and takes it from a lane that still holds it. A row that was never sent had not ended after all. */
async function endInDoubt(row: RowInTransaction, step: Step, failure: ReturnType<typeof foundInStore>): Promise<void> {
  const effect = effectOf(row, step, { outcome: 'unknown', failure });
  if (row.line.outcome === null) await applyEffect(row, effect);
  else if (mayEndAnew(row)) await row.change(endingColumns(effect, row.tx.now()));
  await row.change({ lane: null, hold: row.line.hold + 1 });
}

/** Whether a request of this take and step may be missing from the row. */
function mayTake(row: RowInTransaction, step: Step, take: number): boolean {
  const isOpen = row.line.outcome === null || mayEndAnew(row);
  return row.line.take === take && row.line.parts === null && isOpen && stepsIn(row.spec).includes(step);
}

/** Outcomes of rows that were not sent, as far as the ledger knew; or of one whose other request is in doubt. */
const UNSENT: readonly (Outcome | null)[] = ['skipped', 'cancelled', 'unknown'];

function mayEndAnew({ line }: RowInTransaction): boolean {
  return UNSENT.includes(line.outcome);
}

/** The row; undefined if the batch has no such row. */
async function find(
  tx: Tx,
  key: { readonly batch: string; readonly row: number },
): Promise<RowInTransaction | undefined> {
  try {
    return await RowInTransaction.load(tx, key);
  } catch (error) {
    if (error instanceof LedgerMisuse) return undefined;
    throw error;
  }
}

function isStep(word: string): word is Step {
  return (STEPS as readonly string[]).includes(word);
}

function isOf({ step, take }: Pick<ChargeLine, 'step' | 'take'>, file: NamedResultFile): boolean {
  return step === file.step && take === file.take;
}

/** Whether the answer to a request is on record, or why it is missing, or that its result is in the store. */
function hasAnswer({ state, failure }: Pick<ChargeLine, 'state' | 'failure'>): boolean {
  if (state === 'accepted' || state === 'done') return true;
  const why = toFailure(failure);
  return state === 'unknown' && why !== null && (!isProcessEnd(why) || why.storedAs !== undefined);
}
