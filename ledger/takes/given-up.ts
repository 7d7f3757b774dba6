import { attemptKeyOf, isSameAttempt } from '../../contract/batch.ts';
import type { Failure } from '../../contract/failures.ts';
import { stepsIn } from '../../contract/row-kinds.ts';
import { lostAttempt } from '../../policy/redrive/redrive.ts';
import { withJob, withoutJob } from '../cache/copied-files.ts';
import { updateCharge } from '../rows/line-changes.ts';
import { jsonOrNull, toFile } from '../records.ts';
import type { GivenUp } from '../record-types.ts';
import type { RowInHand } from '../rows/row-in-hand.ts';
import type { ChargeLine, Tx } from '../schema.ts';

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
