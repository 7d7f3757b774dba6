import type { Selectable } from 'kysely';
import type { By } from '../../contract/actions.ts';
import { attemptKeyOf } from '../../contract/batch.ts';
import { LEFT_OUT_OUTCOMES, type Outcome } from '../../contract/outcomes.ts';
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
import { recordDecision } from './decision-records.ts';
import { settleAttempt } from './settle.ts';
import { chargeOfIntent, findBlocking } from './intents.ts';
import { recordMissingRequest } from './record-missing.ts';

/*
 * `voxbatch ledger compare-store`: files in the store that prove that requests were sent after the backup from which
 * the ledger was restored. The store has a result, and no answer that brought it is on record. Such a row must not be
 * sent again: its request is recorded as in doubt (`unknown`), with the file, and settled like any other.
 */

/** Returns those of these files of a batch for which no answer is on record. Changes nothing. */
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

/** What {@link noteFoundFiles} has recorded. */
export interface NotedFiles {
  /** Numbers of the rows with a request in doubt whose result was found. */
  readonly rows: readonly number[];
  /** Names of files of a row or take that the ledger does not have, or that has ended otherwise. */
  readonly unplaced: readonly string[];
}

/**
 * Records the requests of found results, for a batch that no person has resumed since the backup was restored (it is
 * *held*, see `database/copy-doubts.ts`). `files`: at most one per step and take of a row. `from`: the earliest time
 * (ms) at which their requests can have been made. A file without a row or take in the ledger is recorded as an
 * unplaced request, and the batch cannot be resumed until a person has cleared it. Repeatable. Throws {@link
 * LedgerMisuse} if the batch was resumed meanwhile.
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

/**
 * Records the requests of stored results that a person has named for a row, in the order of its steps, all of one take:
 * the present one or, for a row that has ended, the next. The row is in doubt then, and its result is taken as one that
 * was found. Repeatable. Throws {@link LedgerMisuse}, and changes nothing, if the row needs something else. `named`:
 * the key that the person gave; the decision about its request can be taken back.
 */
export async function noteNamedFiles(
  db: Db,
  name: string,
  { named, files }: { readonly named: string; readonly files: readonly DatedResultFile[] },
  by: By,
): Promise<void> {
  const [first] = files;
  if (first === undefined) return;
  const { row: number, take } = first;
  await write(db, async (tx) => {
    const batch = await readBatchLine(tx, name);
    const from = await lastIntentBefore(tx, Math.min(...files.map(({ writtenAt }) => writtenAt)));
    const row = await RowInTransaction.load(tx, { batch: name, row: number });
    const moved = new LedgerMisuse(`Row ${number} of "${name}" does not lack a request of take ${take}.`);
    const { outcome } = row.line;
    // A worker that lives gets its answer.
    if (row.attempts.some(({ state }) => state === 'sending')) throw moved;
    if (take > row.line.take) {
      const request = { batch: name, row: number, step: first.step as Step, take, attempt: 1 };
      if (outcome === null || !(await recordMissingRequest(row, request, { after: outcome }))) throw moved;
    }
    for (const file of files) {
      if ((await noteFile(tx, batch, file, from)) === 'unplaced') throw moved;
      if (file.key === named) await giveFile(tx, { batch: name, file, by });
    }
    if (batch.started_at === null) await setBatch(tx, name, { started_at: from });
    await noteAction(tx, by, { kind: 'adopt', batch: name, rows: [number], details: { jobId: named } });
  });
}

/**
 * Records a person's decision that a file is the result of its request, if that was missing from the ledger and has no
 * answer; in place of another file that was found or named before.
 */
async function giveFile(
  tx: Tx,
  { batch, file, by }: { readonly batch: string; readonly file: DatedResultFile; readonly by: By },
): Promise<void> {
  const row = await RowInTransaction.load(tx, { batch, row: file.row });
  const charge = row.chargesOf(file.step as Step).findLast((one) => isOf(one, file));
  // A request that this ledger sent, and whose answer was lost, did not make a file that somebody else's request made.
  if (charge?.state !== 'unknown' || charge.owner !== '') return;
  await row.changeCharge(charge, { failure: JSON.stringify(foundInStore(file)) });
  const decision = { type: 'adopted', jobId: file.key } as const;
  await recordDecision(tx, attemptKeyOf(charge), decision, by.actor.name, []);
}

/** When the last request before this time was made, ms: those that the ledger lacks came later. */
async function lastIntentBefore(tx: Tx, time: number): Promise<number> {
  const { last } = await tx
    .selectFrom('charges')
    .select((eb) => eb.fn.max<number | null>('intent_at').as('last'))
    .where('intent_at', '<', time)
    .executeTakeFirstOrThrow();
  return last ?? time;
}

/** Records the request of one file. `known`: its answer is on record already. */
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
  // The request is on record, without an answer.
  if (row !== undefined && (last?.state === 'sending' || last?.state === 'unknown')) {
    if (last.state === 'sending')
      await settleAttempt(row, last, { verdict: 'unknown', failure }, { state: 'submitting' });
    else await row.changeCharge(last, { failure: JSON.stringify(failure) });
    // A later take that is open would pay again for what was found.
    if (!row.isAt(take) && row.line.outcome === null && !(await undoReplacement(row, take))) {
      await keepUnplaced(tx, { key, at: file.writtenAt, jobId: null });
      return 'unplaced';
    }
    if (row.isAt(take)) await endInDoubt(row, step, failure);
    return 'noted';
  }
  if (
    row === undefined ||
    batch.state === 'loading' ||
    !mayLackRequest(row, step, take) ||
    findBlocking(ofStep, key) !== undefined
  ) {
    await keepUnplaced(tx, { key, at: file.writtenAt, jobId: null });
    return 'unplaced';
  }
  const settings = toSettings(batch.settings);
  const quote = quoteFrom(row.line.kind, step, row.spec, settings);
  // Which process sent it is not known, and no limit forbids a record of what was sent.
  const intent = { ...quote, owner: '', maxSending: 0 };
  const charge = chargeOfIntent(row, key, intent, settings, from);
  await row.addCharge({ ...charge, state: 'unknown', verdict_at: tx.now(), failure: JSON.stringify(failure) });
  await endInDoubt(row, step, failure);
  return 'noted';
}

/**
 * Undoes the row's present take, if it was made to replace a request of this take and nothing was sent in it: it would
 * pay again for a result that exists. Returns whether the row is at this take then.
 */
async function undoReplacement(row: RowInTransaction, take: number): Promise<boolean> {
  const undone = await undoTake(row.tx, row.line);
  if (undone === undefined) return false;
  await row.change(undone.columns);
  return row.isAt(take);
}

/** Ends the row as `unknown`, even if it had ended as never sent, and frees it from its lane. */
async function endInDoubt(row: RowInTransaction, step: Step, failure: ReturnType<typeof foundInStore>): Promise<void> {
  const effect = effectOf(row, step, { outcome: 'unknown', failure });
  if (row.line.outcome === null) await applyEffect(row, effect);
  else if (mayEndAnew(row)) await row.change(endingColumns(effect, row.tx.now()));
  await row.change({ lane: null, hold: row.line.hold + 1 });
}

/** Whether a request of this take and step may be missing from the row. */
function mayLackRequest(row: RowInTransaction, step: Step, take: number): boolean {
  const isOpen = row.line.outcome === null || mayEndAnew(row);
  return row.line.take === take && row.line.parts === null && isOpen && stepsIn(row.spec).includes(step);
}

/** Outcomes of rows that were not sent, as far as the ledger knew, or that have a request in doubt. */
const UNSENT: readonly (Outcome | null)[] = [...LEFT_OUT_OUTCOMES, 'unknown'];

/** Whether the row has ended in a way that a found result corrects. */
function mayEndAnew({ line }: RowInTransaction): boolean {
  return UNSENT.includes(line.outcome);
}

/** Loads the row; undefined if the batch has no such row. */
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

/** Whether a request needs no record of a found file: it was answered, or the reason of its doubt is known. */
function hasAnswer({ state, failure }: Pick<ChargeLine, 'state' | 'failure'>): boolean {
  if (state === 'accepted' || state === 'done') return true;
  const why = toFailure(failure);
  return state === 'unknown' && why !== null && (!isProcessEnd(why) || why.storedAs !== undefined);
}
