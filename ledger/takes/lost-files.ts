import type { Failure } from '../../contract/failures.ts';
import { checkedBy, stepsIn, type Step } from '../../contract/row-kinds.ts';
import { attemptOfFile, OTHER_CONTENT, otherContent } from '../../policy/redrive/lost-file.ts';
import { lostAttempt } from '../../policy/redrive/redrive.ts';
import { withoutJob } from '../cache/copied-files.ts';
import { endingColumns } from '../rows/ending-columns.ts';
import { LedgerMisuse } from '../errors.ts';
import { forgetResult, keepPaidResult } from '../cache/kept-results.ts';
import { jsonOrNull, toFallback, toFile } from '../records.ts';
import type { ResultFile } from '../record-types.ts';
import type { Fallback, Retake, RowEffect, RowEnding } from '../rows/row-effects.ts';
import type { RowInHand } from '../rows/row-in-hand.ts';
import type { ChargeLine } from '../schema.ts';

/**
 * Ends a row as `failed` whose stored file is lost, and lets no other row use that file. Its attempt keeps its record.
 * `before`: how the row has ended, if its file did not pass a check, or nobody needs it: it ends so again, with its file or
 * without.
 */
export async function loseFile(row: RowInHand, failure: Failure, before?: Fallback): Promise<void> {
  const found = attemptOfFile(row.attempts, toFile(row.line.file)?.key);
  const charge = found === undefined ? undefined : row.chargeAt(found);
  if (charge !== undefined) {
    await row.changeCharge(charge, { failure: JSON.stringify(failure) });
    await forgetResult(row.tx, charge);
  }
  const now = row.tx.now();
  const ending = { outcome: 'failed', failure, file: null } as const;
  await row.change({ ...ending, fallback: jsonOrNull(before), updated_at: now, ended_at: now });
}

/** Ends a row with its lost file, which is in the store again as it is on record. False: the row is settled at once. */
export async function restoreFile(row: RowInHand): Promise<false> {
  const lost = lostAttempt(row.attempts);
  const charge = lost === undefined ? undefined : row.chargeAt(lost);
  if (lost?.file == null || charge === undefined) {
    throw new LedgerMisuse(`Row ${row.line.row} of "${row.line.batch}" has lost no file. No row was changed.`);
  }
  const whole = await asBefore(row, charge, lost.file);
  const ending = await endAsBefore(row, whole, lost.file);
  await row.change({ ...endingColumns(ending, row.tx.now()), hold: row.line.hold + 1 });
  return false;
}

/**
 * Waits no longer for a lost file of a row that has another result: its attempt is as it was before, and whoever goes back to it
 * looks for its file.
 */
export async function leaveLost(row: RowInHand): Promise<void> {
  const lost = lostAttempt(row.attempts);
  const charge = lost === undefined ? undefined : row.chargeAt(lost);
  if (lost?.file != null && charge !== undefined) await asBefore(row, charge, lost.file);
}

/** An attempt with its file, as it was before that was lost. */
export function asBefore(row: RowInHand, charge: ChargeLine, file: ResultFile): Promise<ChargeLine> {
  const finished_at = charge.finished_at ?? row.tx.now();
  return row.changeCharge(charge, { finished_at, failure: whyUnfit(row, file), ...withoutJob(charge) });
}

/**
 * What a file means for its row that came in place of a lost one. `effect`: what it would mean if it were the first.
 * The same content is the result that the row had. Other content is one that no check of this row was of, and that nobody
 * has agreed to pay anything for: a row with steps to come ends with it, and a person decides.
 */
export async function afterFetchedAgain(
  row: RowInHand,
  charge: ChargeLine,
  lost: ResultFile,
  effect: Exclude<RowEffect, Retake>,
): Promise<RowEffect> {
  const file = toFile(charge.file);
  if (file !== null && isAsBefore(row, charge, lost)) return endAsBefore(row, charge, file);
  const isEnd = 'outcome' in effect;
  if (file === null || (isEnd && effect.file === undefined)) return effect;
  // What was kept is the lost file.
  await row.change({ fallback: null });
  if (!isEnd) return { outcome: 'unfit', failure: otherContent(await loseCheck(row, charge)), file };
  if (effect.outcome !== 'succeeded') return effect;
  const other = { ...file, oddity: OTHER_CONTENT };
  await keepPaidResult(row.tx, await row.changeCharge(charge, { file: JSON.stringify(other) }), effect);
  return { ...effect, outcome: charge.state === 'cached' ? 'cached' : 'succeeded', file: other };
}

/** Whether an attempt has the content again that was lost, and nothing is held against it that was not before. */
export function isAsBefore(row: RowInHand, charge: ChargeLine, lost: ResultFile): boolean {
  return toFile(charge.file)?.sha256 === lost.sha256 && charge.failure === whyUnfit(row, lost);
}

/** Takes back what a check found no fault in, so that it alone is made again. Returns its step; undefined: there was none. */
async function loseCheck(row: RowInHand, charge: ChargeLine): Promise<Step | undefined> {
  const check = checkOf(row, charge);
  if (check?.failure !== null) return check?.step;
  const gone: Failure = { ...otherContent(check.step), class: 'ResultGone' };
  await row.changeCharge(check, { failure: JSON.stringify(gone), file: null });
  return check.step;
}

/** Why a file that is back did not pass by itself, for the record of its attempt; null: it did, or a person accepted it. */
export function whyUnfit({ line }: RowInHand, { unfit }: ResultFile): string | null {
  const kept = toFallback(line.fallback);
  return unfit === undefined || kept?.returning !== undefined ? null : jsonOrNull(kept?.ending.failure);
}

/** How a row ends whose file is back as it was. */
async function endAsBefore(row: RowInHand, charge: ChargeLine, file: ResultFile): Promise<RowEnding> {
  const before = toFallback(row.line.fallback)?.ending;
  if (before !== undefined) await row.change({ fallback: null });
  if (before?.outcome === 'unfit') return { ...before, file };
  const { outcome, isPassed } = outcomeWith(row, charge, file);
  const ending: RowEnding = { outcome, file };
  if (isPassed) await keepPaidResult(row.tx, charge, ending);
  return ending;
}

/** How a row ends with the file that this attempt brought, and whether that passed all checks by itself. */
export function outcomeWith(
  row: RowInHand,
  charge: ChargeLine,
  file: ResultFile,
): { readonly outcome: 'cached' | 'succeeded'; readonly isPassed: boolean } {
  const check = checkOf(row, charge);
  const isPassed = file.unfit === undefined && (check?.failure ?? null) === null;
  const isFree = isPassed && charge.state === 'cached' && (check === undefined || check.state === 'cached');
  return { outcome: isFree ? 'cached' : 'succeeded', isPassed };
}

/** The attempt that checked what this one brought. */
function checkOf(row: RowInHand, { step, take }: ChargeLine): ChargeLine | undefined {
  const checks = stepsIn(row.spec).find((one) => checkedBy(row.line.kind, one) === step);
  return checks === undefined ? undefined : row.chargesOf(checks).findLast((one) => one.from_take === take);
}
