import type { Failure } from '../../contract/failures.ts';
import { checkedBy, stepsIn, type Step } from '../../contract/row-kinds.ts';
import { attemptOfFile, OTHER_CONTENT, otherContent } from '../../policy/redrive/lost-file.ts';
import { lostAttempt } from '../../policy/redrive/redrive.ts';
import { withoutJob, forgetResult, keepPaidResult, withJob } from '../cache/kept-results.ts';
import { endingColumns } from '../rows/row-changes.ts';
import { LedgerMisuse } from '../errors.ts';
import { jsonOrNull, toFallback, toFile } from '../records.ts';
import type { ResultFile, GivenUp } from '../record-types.ts';
import type { Fallback, Retake, RowEffect, RowEnding } from '../rows/row-effects.ts';
import type { RowInHand } from '../rows/row-in-hand.ts';
import type { ChargeLine, Tx } from '../schema.ts';
import { attemptKeyOf, isSameAttempt } from '../../contract/batch.ts';
import { updateCharge } from '../rows/line-changes.ts';

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

/**
 * Jobs that had ended, were read again for a result that was lost, and are read no more. They have ended, as before: left as running, they
 * would count for ever as requests of unknown price, and as places under the limit of the account.
 */

const NOT_READ: Failure = {
  class: 'ResultGone',
  message: 'Its result is lost, and its job is no longer read for it.',
};

/**
 * What is paid for anew is not fetched again: the attempt has ended, and keeps no record of its lost file. Returns what it was, for a take
 * that is taken back; undefined: no result is lost.
 */
export async function giveUpLost(row: RowInHand): Promise<GivenUp | undefined> {
  const lost = lostAttempt(row.attempts);
  const charge = lost === undefined ? readAgain(row) : row.chargeAt(lost);
  if (charge === undefined) return undefined;
  const isRead = charge.finished_at === null;
  const now = row.tx.now();
  // Whatever was stored once was paid for, too.
  const ended = { finished_at: charge.finished_at ?? now, priced_at: charge.priced_at ?? now };
  const failure = charge.failure ?? JSON.stringify(NOT_READ);
  await row.changeCharge(charge, { ...ended, failure, file: null, ...withoutJob(charge) });
  return { attempt: attemptKeyOf(charge), file: toFile(charge.file), isRead };
}

/** The attempt among those of its row, if it is still as it was given up: its job may have been taken back meanwhile. */
export function stillGivenUp(charges: readonly ChargeLine[], { attempt }: GivenUp): ChargeLine | undefined {
  const charge = charges.find((one) => isSameAttempt(one, attempt));
  return charge?.file === null && (charge.state === 'accepted' || charge.state === 'cached') ? charge : undefined;
}

/** Waits again for what was given up. */
export async function takeUp(tx: Tx, charge: ChargeLine, { file, isRead }: GivenUp): Promise<void> {
  const read = isRead ? { finished_at: null, failure: null, ...withJob(charge) } : {};
  await updateCharge(tx, charge, { file: jsonOrNull(file ?? undefined), ...read });
}

/** Reads no longer the job of this take, whose result was never stored, if it had ended before. */
export async function leaveRead(row: RowInHand, take: number): Promise<void> {
  const charge = readAgain(row, take);
  if (charge === undefined) return;
  await row.changeCharge(charge, { finished_at: charge.priced_at, failure: JSON.stringify(NOT_READ) });
}

/** The attempt, of this take or of any, whose job had ended with its price, but without a file, and is read again. */
function readAgain(row: RowInHand, take?: number): ChargeLine | undefined {
  const charges = stepsIn(row.spec).flatMap((step) => row.chargesOf(step));
  return charges.find((one) => {
    const isRunning = one.state === 'accepted' && one.finished_at === null;
    return isRunning && one.priced_at !== null && one.file === null && (take ?? one.take) === one.take;
  });
}
