import type { Failure } from '../../contract/failures.ts';
import { checkedStepOf, stepsIn, type Step } from '../../contract/row-kinds.ts';
import { attemptOfFile, OTHER_CONTENT, otherContent } from '../../policy/redrive/lost-file.ts';
import { lostAttempt } from '../../policy/redrive/redrive.ts';
import { withoutJob, forgetResult, keepPaidResult, withJob } from '../cache/kept-results.ts';
import { endingColumns } from '../rows/update-row.ts';
import { LedgerMisuse } from '../errors.ts';
import { jsonOrNull, toFile, type ResultFile } from '../records.ts';
import type { GivenUp } from './take-records.ts';
import { type Fallback, type Retake, type RowEffect, type RowEnding, toFallback } from '../rows/row-effects.ts';
import type { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { ChargeLine, Tx } from '../schema.ts';
import { attemptKeyOf, isSameAttempt } from '../../contract/batch.ts';
import { updateCharge } from '../rows/line-changes.ts';

/*
 * Rows whose stored file is lost. Such a row fails (`loseFile`). Then one of these happens: the file comes back
 * (`restoreFile`); its job is read again and brings the same content or another (`afterFetchedAgain`); the row gets
 * another result and stops waiting (`leaveLost`); or the result is paid for again (`giveUpLost`, undone by
 * `undoGiveUp`).
 */

/**
 * Ends a row as `failed` because its stored file is lost, and removes the file from the cache. Its attempt keeps its
 * record. `before`: the fallback to which the row returns if the file does not come back: for a file that had failed a
 * check, or that the row does not need.
 */
export async function loseFile(row: RowInTransaction, failure: Failure, before?: Fallback): Promise<void> {
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

/**
 * Ends a row with its lost file, which is back in the store as recorded. Returns false: the row is settled at once, not
 * reopened.
 */
export async function restoreFile(row: RowInTransaction): Promise<false> {
  const lost = lostAttempt(row.attempts);
  const charge = lost === undefined ? undefined : row.chargeAt(lost);
  if (lost?.file == null || charge === undefined) {
    throw new LedgerMisuse(`Row ${row.line.row} of "${row.line.batch}" has lost no file. No row was changed.`);
  }
  const restored = await asBefore(row, charge, lost.file);
  const ending = await endAsBefore(row, restored, lost.file);
  await row.change({ ...endingColumns(ending, row.tx.now()), hold: row.line.hold + 1 });
  return false;
}

/**
 * Stops waiting for the lost file of a row that has another result. Restores the attempt as if the file were there; if
 * the row later returns to it, the store is checked again.
 */
export async function leaveLost(row: RowInTransaction): Promise<void> {
  const lost = lostAttempt(row.attempts);
  const charge = lost === undefined ? undefined : row.chargeAt(lost);
  if (lost?.file != null && charge !== undefined) await asBefore(row, charge, lost.file);
}

/** Restores an attempt with its file to its state before the loss. */
export function asBefore(row: RowInTransaction, charge: ChargeLine, file: ResultFile): Promise<ChargeLine> {
  const finished_at = charge.finished_at ?? row.tx.now();
  return row.changeCharge(charge, { finished_at, failure: whyUnfit(row, file), ...withoutJob(charge) });
}

/**
 * Returns the effect of a file that was fetched in place of a lost one. `charge`: its attempt. `effect`: the effect of
 * a first result. The same content restores the row's result. Different content was never checked for this row, and
 * nobody has agreed to pay for further steps with it: a row with steps left ends with it as `unfit`, and a person
 * decides.
 */
export async function afterFetchedAgain(
  row: RowInTransaction,
  charge: ChargeLine,
  lost: ResultFile,
  effect: Exclude<RowEffect, Retake>,
): Promise<RowEffect> {
  const file = toFile(charge.file);
  if (file !== null && isAsBefore(row, charge, lost)) return endAsBefore(row, charge, file);
  const isEnd = 'outcome' in effect;
  if (file === null || (isEnd && effect.file === undefined)) return effect;
  // The fallback, if any, is the lost file.
  await row.change({ fallback: null });
  if (!isEnd) return { outcome: 'unfit', failure: otherContent(await voidCheck(row, charge)), file };
  if (effect.outcome !== 'succeeded') return effect;
  const other = { ...file, oddity: OTHER_CONTENT };
  await keepPaidResult(row.tx, await row.changeCharge(charge, { file: JSON.stringify(other) }), effect);
  return { ...effect, outcome: charge.state === 'cached' ? 'cached' : 'succeeded', file: other };
}

/** Whether an attempt has its lost content back, and with the same failed check, or none, as before. */
export function isAsBefore(row: RowInTransaction, charge: ChargeLine, lost: ResultFile): boolean {
  return toFile(charge.file)?.sha256 === lost.sha256 && charge.failure === whyUnfit(row, lost);
}

/**
 * Voids a passed check, so that only the check is made again. Returns the check's step; undefined if there was none.
 */
async function voidCheck(row: RowInTransaction, charge: ChargeLine): Promise<Step | undefined> {
  const check = checkOf(row, charge);
  if (check?.failure !== null) return check?.step;
  const gone: Failure = { ...otherContent(check.step), class: 'ResultGone' };
  await row.changeCharge(check, { failure: JSON.stringify(gone), file: null });
  return check.step;
}

/**
 * Returns why a restored file did not pass its checks, for its attempt's record; null if it passed, or a person
 * accepted it.
 */
export function whyUnfit({ line }: RowInTransaction, { unfit }: ResultFile): string | null {
  const kept = toFallback(line.fallback);
  return unfit === undefined || kept?.returning !== undefined ? null : jsonOrNull(kept?.ending.failure);
}

/** Returns the ending of a row whose file is restored, and caches its result if it passed all checks. */
async function endAsBefore(row: RowInTransaction, charge: ChargeLine, file: ResultFile): Promise<RowEnding> {
  const before = toFallback(row.line.fallback)?.ending;
  if (before !== undefined) await row.change({ fallback: null });
  if (before?.outcome === 'unfit') return { ...before, file };
  const { outcome, isPassed } = outcomeWith(row, charge, file);
  const ending: RowEnding = { outcome, file };
  if (isPassed) await keepPaidResult(row.tx, charge, ending);
  return ending;
}

/** Returns the outcome of a row with this attempt's file, and whether the file passed all checks. */
export function outcomeWith(
  row: RowInTransaction,
  charge: ChargeLine,
  file: ResultFile,
): { readonly outcome: 'cached' | 'succeeded'; readonly isPassed: boolean } {
  const check = checkOf(row, charge);
  const isPassed = file.unfit === undefined && (check?.failure ?? null) === null;
  const isFree = isPassed && charge.state === 'cached' && (check === undefined || check.state === 'cached');
  return { outcome: isFree ? 'cached' : 'succeeded', isPassed };
}

/** Finds the attempt that checked this one's result. */
function checkOf(row: RowInTransaction, { step, take }: ChargeLine): ChargeLine | undefined {
  const checks = stepsIn(row.spec).find((one) => checkedStepOf(row.line.kind, one) === step);
  return checks === undefined ? undefined : row.chargesOf(checks).findLast((one) => one.from_take === take);
}

/**
 * Failure of an attempt whose job was read again for a lost result and is no longer read. Its job is recorded as ended
 * again: as running, it would count forever as a request of unknown price, and toward the account's limit of jobs.
 */
const NOT_READ: Failure = {
  class: 'ResultGone',
  message: 'Its result is lost, and its job is no longer read for it.',
};

/**
 * Stops fetching a lost result that is about to be paid for again: ends its attempt, and removes the lost file from its
 * record. Returns the attempt's previous state, for undoing the take; undefined if no result is lost.
 */
export async function giveUpLost(row: RowInTransaction): Promise<GivenUp | undefined> {
  const lost = lostAttempt(row.attempts);
  const charge = lost === undefined ? attemptReadAgain(row) : row.chargeAt(lost);
  if (charge === undefined) return undefined;
  const isRead = charge.finished_at === null;
  const now = row.tx.now();
  // A result that was stored once was also paid for.
  const ended = { finished_at: charge.finished_at ?? now, priced_at: charge.priced_at ?? now };
  const failure = charge.failure ?? JSON.stringify(NOT_READ);
  await row.changeCharge(charge, { ...ended, failure, file: null, ...withoutJob(charge) });
  return { attempt: attemptKeyOf(charge), file: toFile(charge.file), isRead };
}

/** Finds the given-up attempt, if it is unchanged since: its job may have been taken back meanwhile. */
export function stillGivenUp(charges: readonly ChargeLine[], { attempt }: GivenUp): ChargeLine | undefined {
  const charge = charges.find((one) => isSameAttempt(one, attempt));
  return charge?.file === null && (charge.state === 'accepted' || charge.state === 'cached') ? charge : undefined;
}

/** Undoes {@link giveUpLost}. */
export async function undoGiveUp(tx: Tx, charge: ChargeLine, { file, isRead }: GivenUp): Promise<void> {
  const read = isRead ? { finished_at: null, failure: null, ...withJob(charge) } : {};
  await updateCharge(tx, charge, { file: jsonOrNull(file ?? undefined), ...read });
}

/** Stops reading this take's job again, which had ended, but whose result was never stored. */
export async function leaveRead(row: RowInTransaction, take: number): Promise<void> {
  const charge = attemptReadAgain(row, take);
  if (charge === undefined) return;
  await row.changeCharge(charge, { finished_at: charge.priced_at, failure: JSON.stringify(NOT_READ) });
}

/** Finds the attempt, of this take if given, whose job ended without a stored file and is being read again. */
function attemptReadAgain(row: RowInTransaction, take?: number): ChargeLine | undefined {
  const charges = stepsIn(row.spec).flatMap((step) => row.chargesOf(step));
  return charges.find((one) => {
    const isRunning = one.state === 'accepted' && one.finished_at === null;
    return isRunning && one.priced_at !== null && one.file === null && (take ?? one.take) === one.take;
  });
}
