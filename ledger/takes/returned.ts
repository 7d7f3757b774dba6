import { attemptKeyOf } from '../../contract/batch.ts';
import { defined } from '../../contract/defined.ts';
import { preferResult } from '../cache/kept-results.ts';
import { filesBeside } from '../../policy/redrive/earlier-take.ts';
import { bestEnding } from '../../policy/rows/best-take.ts';
import { OTHER_CONTENT } from '../../policy/redrive/lost-file.ts';
import { recordDecision, releasedFiles } from '../requests/decision-records.ts';
import { afterFetchedAgain, asBefore, isAsBefore, leaveLost, outcomeWith, leaveRead } from './lost-files.ts';
import { endingColumns } from '../rows/update-row.ts';
import { jsonOrNull, toFile, type ResultFile } from '../records.ts';
import {
  type Fallback,
  type Retake,
  type Returning,
  type RowEffect,
  type RowEnding,
  toFallback,
} from '../rows/row-effects.ts';
import type { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { ChargeLine } from '../schema.ts';
import { takesOf } from './takes.ts';

/*
 * Rows that go back to an earlier take by a person's decision (`go-back.ts`). If the take's file must first be fetched,
 * the row is open meanwhile (*returning*): its fallback records the ending that it had, for the case that no file
 * comes.
 */

/**
 * Makes a row go back to this attempt's result: records the decision, and returns the row's ending. `who`: user and
 * host of the command. `replaced`: the files of its previous result.
 */
export async function endReturned(
  row: RowInTransaction,
  charge: ChargeLine,
  file: ResultFile,
  { who, replaced }: { readonly who: string; readonly replaced: readonly ResultFile[] },
): Promise<RowEnding> {
  const { tx, line } = row;
  const before = (await takesOf(tx, line.batch, line.row)).map((one) => [one.before.file, ...one.before.extraFiles]);
  const released = (await releasedFiles(tx, line.batch, line.row)).map(({ files }) => files);
  const extraFiles = filesBeside(file, [...before, ...released]);
  await recordDecision(tx, attemptKeyOf(charge), { type: 'went-back' }, who, replaced);
  await row.change({ returned_to: charge.take === line.take ? null : charge.take, fallback: null });
  await preferResult(tx, charge);
  return {
    outcome: outcomeWith(row, charge, file).outcome,
    file,
    ...(extraFiles.length === 0 ? {} : { extraFiles }),
  };
}

/** Whether the row waits for this attempt's file in order to go back to its take. */
export function isReturningTo({ line }: RowInTransaction, { take }: ChargeLine): boolean {
  return toFallback(line.fallback)?.returning?.take === take;
}

/**
 * Returns the effect of the end of a job that was read again, for a lost file or to go back to an earlier take. `lost`:
 * the lost file; null if none was ever stored. `effect`: the effect of a first end of this job.
 *
 * A returning row goes back to the take only if the file has the same content as the lost one, or, if none was stored,
 * passed its checks. Otherwise it keeps its earlier ending; a different file stays with its attempt, where a person may
 * accept it.
 */
export async function afterFetch(
  row: RowInTransaction,
  charge: ChargeLine,
  lost: ResultFile | null,
  effect: Exclude<RowEffect, Retake>,
): Promise<RowEffect> {
  const kept = toFallback(row.line.fallback);
  if (kept?.returning?.take !== charge.take) {
    return lost === null ? effect : afterFetchedAgain(row, charge, lost, effect);
  }
  const file = toFile(charge.file);
  const { ending, returning } = kept;
  const isAwaitedFile = lost === null ? charge.failure === null : isAsBefore(row, charge, lost);
  if (file !== null && isAwaitedFile) {
    const { file: had, extraFiles = [] } = ending;
    const replaced = had === undefined ? [] : [had, ...extraFiles];
    return endReturned(row, charge, file, { who: returning.who, replaced });
  }
  if (lost !== null && file !== null && file.sha256 !== lost.sha256)
    await row.changeCharge(charge, { file: JSON.stringify({ ...file, oddity: OTHER_CONTENT }) });
  else if (lost !== null) await asBefore(row, charge, lost);
  return putBack(row, ending, returning);
}

/**
 * Stops an open row's return to an earlier take, and restores the attempt whose job was read. Returns the row's earlier
 * ending; undefined, without any change, if the row is not returning.
 */
export async function leaveReturn(row: RowInTransaction): Promise<RowEnding | undefined> {
  const kept = row.line.outcome === null ? toFallback(row.line.fallback) : undefined;
  if (kept?.returning === undefined) return undefined;
  await leaveLost(row);
  await leaveRead(row, kept.returning.take);
  return putBack(row, kept.ending, kept.returning);
}

/** Ends a returning row as before, and frees it from its lane. False, without any change, if it is not returning. */
export async function endReturning(row: RowInTransaction): Promise<boolean> {
  const left = await leaveReturn(row);
  if (left === undefined) return false;
  await row.change({ ...endingColumns(left, row.tx.now()), lane: null, hold: row.line.hold + 1 });
  return true;
}

/**
 * Applies a late answer for the take that a returning row came from: if the awaited file does not come, the row ends as
 * the answer says instead of `unknown`. A request that was not accepted is not sent again, because the row has left
 * that take: then it ends `cancelled`.
 */
export async function applyToReturning(
  row: RowInTransaction,
  { take, state }: ChargeLine,
  effect: Exclude<RowEffect, Retake>,
): Promise<void> {
  const kept = row.line.outcome === null ? toFallback(row.line.fallback) : undefined;
  if (kept?.returning === undefined || kept.ending.outcome !== 'unknown' || state === 'unknown') return;
  const { returning } = kept;
  if (take !== (returning.from ?? row.line.take)) return;
  const message = 'Its job was accepted. Its result can be fetched, free.';
  const ending: RowEnding =
    'outcome' in effect
      ? bestEnding(effect, returning.fallback)
      : state === 'accepted'
        ? { outcome: 'overdue', failure: { class: 'Overdue', message } }
        : { outcome: 'cancelled' };
  await row.change({ fallback: JSON.stringify({ ...kept, ending }) });
}

/**
 * Removes a result from a row's fallback, because its job was taken back. `instead`: the ending of a returning row that
 * had this result. Returns the files of the removed result; none if the fallback did not have it.
 */
export async function forgetKept(
  row: RowInTransaction,
  file: ResultFile | null,
  instead: RowEnding,
): Promise<readonly ResultFile[]> {
  const kept = toFallback(row.line.fallback);
  if (kept === undefined || file === null) return [];
  const hasFile = (one: Fallback | undefined): boolean => one?.ending.file?.key === file.key;
  const { returning, ending } = kept;
  let left = hasFile(kept) ? undefined : kept;
  if (returning !== undefined) {
    const { take, who, from } = returning;
    const fallback = hasFile(returning.fallback) ? undefined : returning.fallback;
    const endingThen = hasFile(kept) ? instead : ending;
    left = { ...kept, ending: endingThen, returning: { take, who, from, ...defined({ fallback }) } };
  }
  await row.change({ fallback: jsonOrNull(left) });
  return hasFile(kept) ? [file, ...(ending.extraFiles ?? [])] : [];
}

/** Puts a returning row back to the take that it came from, and returns its ending there. */
async function putBack(row: RowInTransaction, ending: RowEnding, { from, fallback }: Returning): Promise<RowEnding> {
  await row.change({ returned_to: from, fallback: jsonOrNull(fallback) });
  return ending;
}
