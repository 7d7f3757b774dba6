import type { AttemptKey } from '../../contract/batch.ts';
import type { Failure } from '../../contract/failures.ts';
import { ACCEPTED_STATES, type AttemptState } from '../../contract/outcomes.ts';
import { linkOf, STEPS } from '../../contract/row-kinds.ts';
import { requireCharge } from './charges.ts';
import { LedgerMisuse } from '../errors.ts';
import { decisionsOf } from './decision-records.ts';
import { toFile, type ResultFile } from '../records.ts';
import { toFallback } from '../rows/row-effects.ts';
import { toRow } from '../rows/row-records.ts';
import { endReturning, forgetKept } from '../takes/returned.ts';
import type { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { ChargeLine } from '../schema.ts';
import { isPaidElsewhere, passOnCharge } from './taken-jobs.ts';

/**
 * Reverts a person's last decision about an attempt: its outcome is unknown again. If the decision assigned a job, or a
 * stored file, the row ends `unknown` if it is still at that take; at a later take, the result is removed from its
 * fallback.
 * Returns the files that were the row's result; undefined, without any change, if there is no such decision. Throws
 * {@link LedgerMisuse} if the job's result is in use.
 */
export async function releaseJob(row: RowInTransaction, key: AttemptKey): Promise<readonly ResultFile[] | undefined> {
  const last = (await decisionsOf(row.tx, key.batch, key.row)).findLast(
    ({ step, take, attempt, what }) =>
      step === key.step && take === key.take && attempt === key.attempt && what !== 'went-back',
  );
  const charge = requireCharge(row, key);
  if (last?.what === 'not-charged' && charge.state === 'not-accepted' && !row.isAt(key.take)) {
    await row.changeCharge(charge, { state: 'unknown', failure: JSON.stringify(CHARGED_AFTER_ALL) });
    return [];
  }
  const given = givenTo(charge);
  if (last?.what !== 'adopted' || given === undefined || given !== last.jobId) return undefined;
  refuseLaterSteps(row, key);
  refuseKept(row, key, charge);
  await refuseSpeakers(row, key, given);
  await row.changeCharge(charge, {
    state: 'unknown',
    job_id: null,
    charged: null,
    charged_from: null,
    finished_at: null,
    priced_at: null,
    file: null,
    failure: null,
  });
  if (!isPaidElsewhere(charge)) await passOnCharge(row.tx, { ...key, jobId: given }, charge);
  const message = `${charge.job_id === null ? 'File' : 'Job'} ${given} was given to the row by a person and taken back: it is not known whether its own request was charged.`;
  const failure: Failure = { class: 'OutcomeUnknown', message, cause: 'a job that was taken back' };
  const kept = await forgetKept(row, toFile(charge.file), { outcome: 'unknown', failure });
  if (!row.isAt(key.take)) return kept;
  // If the row only waited for this job in order to go back to its take, it ends as it had ended before.
  if (await endReturning(row)) return kept;
  const { file, extraFiles } = toRow(row.line);
  const now = row.tx.now();
  await row.change({
    outcome: 'unknown',
    failure,
    file: null,
    extra_files: null,
    text: null,
    wait_since: null,
    lane: null,
    hold: row.line.hold + 1,
    updated_at: now,
    ended_at: now,
  });
  return file === null ? kept : [file, ...extraFiles];
}

/** Returns what a person may have given to an attempt: its job or, if it has none, its stored file, by its key. */
function givenTo({ state, step, job_id: jobId, file }: ChargeLine): string | undefined {
  if (jobId === null) return state === 'done' ? toFile(file)?.key : undefined;
  return state === (step === 'voice' ? 'done' : 'accepted') ? jobId : undefined;
}

/** The failure of an attempt after `not-charged` was reverted. */
const CHARGED_AFTER_ALL: Failure = {
  class: 'OutcomeUnknown',
  message: 'A person settled it as not charged, and took that back: it is not known whether it was charged.',
  cause: 'a decision that was taken back',
};

/** States of an attempt that was sent, or may have been. */
const MADE: readonly AttemptState[] = ['sending', ...ACCEPTED_STATES, 'unknown'];

/** Throws if a later step was sent with the job's result. */
function refuseLaterSteps(row: RowInTransaction, key: AttemptKey): void {
  const later = STEPS.find((step) =>
    row.chargesOf(step).some((one) => {
      const isOfIt = linkOf(row.line.kind, step)?.of === key.step && one.from_take === key.take;
      return isOfIt && MADE.includes(one.state);
    }),
  );
  if (later === undefined) return;
  throw new LedgerMisuse(
    `Row ${key.row} of "${key.batch}" has a ${later} request that was made with the result of that job. Nothing was changed.`,
  );
}

/** Throws if the row has the job's result at a later take: it kept it, or went back to it. */
function refuseKept({ line }: RowInTransaction, key: AttemptKey, charge: ChargeLine): void {
  const file = toFile(charge.file)?.key;
  const kept = toFallback(line.fallback);
  // A row on its way back to an earlier take still has the result in its fallback.
  const has = kept?.returning === undefined ? toFile(line.file) : kept.ending.file;
  if (line.take === key.take || file === undefined || has?.key !== file) return;
  throw new LedgerMisuse(
    `Row ${key.row} of "${key.batch}" is at take ${line.take}, and has the result of that job. Nothing was changed.`,
  );
}

/** Throws if rows speak with the voice that the job made: they may have been sent. */
async function refuseSpeakers({ tx }: RowInTransaction, { batch, row }: AttemptKey, voiceId: string): Promise<void> {
  const speaker = await tx
    .selectFrom('rows')
    .select('row')
    .where('batch', '=', batch)
    .where('voice_row', '=', row)
    .where('voice', '=', voiceId)
    .limit(1)
    .executeTakeFirst();
  if (speaker === undefined) return;
  throw new LedgerMisuse(`Row ${speaker.row} of "${batch}" speaks with that voice. Nothing was changed.`);
}
