import type { ActionKind, By } from '../../contract/actions.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import type { Failure } from '../../contract/failures.ts';
import { ACCEPTED_STATES, type AttemptState } from '../../contract/outcomes.ts';
import { linkOf, STEPS } from '../../contract/row-kinds.ts';
import { requireCharge } from './charges.ts';
import { recordUnsent } from './record-unsent.ts';
import { settleInHand } from './settle.ts';
import { LedgerMisuse } from '../errors.ts';
import { noteAction } from '../history/actions.ts';
import { decisionsOf, note, type Decision } from './decision-records.ts';
import type { ResultFile } from '../record-types.ts';
import { toFallback, toFile, toRow } from '../records.ts';
import { endReturning, forgetKept } from '../takes/returned.ts';
import { RowInHand } from '../rows/row-in-hand.ts';
import type { ChargeLine, Db } from '../schema.ts';
import { write } from '../database/transactions.ts';
import { isPaidElsewhere, passOnCharge } from './taken-jobs.ts';

/**
 * A person's decisions about requests with an unknown outcome, and their reversal. Each is recorded with its change in
 * one transaction. Nothing here pays.
 */

/**
 * Carries out and records a person's decision about an attempt. Returns false, without any change, if it does not
 * apply. `adopted` needs a job that no other attempt has, and an unknown outcome or the request that the row needs next
 * and that is not on record, but none on the wire; `not-charged` needs an unknown outcome; `released` needs a job that a person assigned. Throws {@link LedgerMisuse} for marking an attempt of the row's present take as not
 * charged, or for releasing a job whose result a later step has used.
 */
export async function decide(db: Db, key: AttemptKey, decision: Decision, by: By): Promise<boolean> {
  return write(db, async (tx) => {
    const row = await RowInHand.take(tx, key);
    const files = decision.type === 'released' ? await release(row, key) : [];
    if (decision.type === 'adopted') {
      const known = row.chargeAt(key);
      // The answer to a request on the wire names the job that it made.
      if (known?.state === 'sending' || (known !== undefined && decision.isUnsent === true)) return false;
      if (known === undefined && !(await recordUnsent(row, key, decision.jobId))) return false;
      if (!(await adopt(row, key, decision.jobId))) return false;
      // Nothing proves that this request made the job, so no other row may use its result.
      await row.changeCharge(requireCharge(row, key), { result_key: null });
    }
    if (decision.type === 'not-charged') {
      if (row.isAt(key.take)) {
        throw new LedgerMisuse(
          `Row ${key.row} of "${key.batch}" is at take ${key.take}: what was not charged is sent again, which is for a new take. Nothing was changed.`,
        );
      }
      if (!(await settleInHand(row, key, { verdict: 'not-accepted' }, { state: 'waiting' }))) return false;
    }
    if (files === undefined) return false;
    await note(tx, key, decision, by.actor.name, files);
    const details = 'jobId' in decision ? { jobId: decision.jobId } : {};
    const { batch, row: number } = key;
    await noteAction(tx, by, { kind: KINDS[decision.type], batch, rows: [number], details });
    return true;
  });
}

const KINDS = { adopted: 'adopt', released: 'release', 'not-charged': 'not-charged' } as const satisfies Record<
  Decision['type'],
  ActionKind
>;

/**
 * Assigns to an attempt the job or voice that a person named. A job is then waited for; a voice is itself the result.
 */
function adopt(row: RowInHand, key: AttemptKey, jobId: string): Promise<boolean> {
  return key.step === 'voice'
    ? settleInHand(row, key, { verdict: 'done', jobId, isAdopted: true }, { outcome: 'succeeded', text: jobId })
    : settleInHand(row, key, { verdict: 'accepted', jobId, isAdopted: true }, { state: 'processing' });
}

/**
 * Reverts a person's decision about an attempt: its outcome is unknown again. If the decision was a job, the row ends
 * `unknown`, provided it is still at that take; at a later one, it no longer keeps the job's result for the case that
 * its take brings none. Returns the files that were the row's result; undefined, without any change, if there was no
 * decision.
 */
async function release(row: RowInHand, key: AttemptKey): Promise<readonly ResultFile[] | undefined> {
  const last = (await decisionsOf(row.tx, key.batch, key.row)).findLast(
    ({ step, take, attempt, what }) =>
      step === key.step && take === key.take && attempt === key.attempt && what !== 'went-back',
  );
  const charge = requireCharge(row, key);
  if (last?.what === 'not-charged' && charge.state === 'not-accepted' && !row.isAt(key.take)) {
    await row.changeCharge(charge, { state: 'unknown', failure: JSON.stringify(CHARGED_AFTER_ALL) });
    return [];
  }
  const { job_id: jobId } = charge;
  const hasIt = charge.state === (key.step === 'voice' ? 'done' : 'accepted');
  if (last?.what !== 'adopted' || !hasIt || jobId === null || jobId !== last.jobId) return undefined;
  refuseLaterSteps(row, key);
  refuseKept(row, key, charge);
  await refuseSpeakers(row, key, jobId);
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
  if (!isPaidElsewhere(charge)) await passOnCharge(row.tx, { ...key, jobId }, charge);
  const message = `Job ${jobId} was given to the row by a person and taken back: it is not known whether its own request was charged.`;
  const failure: Failure = { class: 'OutcomeUnknown', message, cause: 'a job that was taken back' };
  const kept = await forgetKept(row, toFile(charge.file), { outcome: 'unknown', failure });
  if (!row.isAt(key.take)) return kept;
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

const CHARGED_AFTER_ALL: Failure = {
  class: 'OutcomeUnknown',
  message: 'A person settled it as not charged, and took that back: it is not known whether it was charged.',
  cause: 'a decision that was taken back',
};

/** States of an attempt that was sent, or may have been. */
const MADE: readonly AttemptState[] = ['sending', ...ACCEPTED_STATES, 'unknown'];

/** Later steps already used the result of the job, so it cannot be taken back. */
function refuseLaterSteps(row: RowInHand, key: AttemptKey): void {
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

/** The row kept the job's result in a later take, or went back to it, so the job cannot be taken back. */
function refuseKept({ line }: RowInHand, key: AttemptKey, charge: ChargeLine): void {
  const file = toFile(charge.file)?.key;
  const kept = toFallback(line.fallback);
  // A row on its way back to another take has its result still.
  const has = kept?.returning === undefined ? toFile(line.file) : kept.ending.file;
  if (line.take === key.take || file === undefined || has?.key !== file) return;
  throw new LedgerMisuse(
    `Row ${key.row} of "${key.batch}" is at take ${line.take}, and has the result of that job. Nothing was changed.`,
  );
}

/** Rows that speak with the voice may have been sent, so it cannot be taken back. */
async function refuseSpeakers({ tx }: RowInHand, { batch, row }: AttemptKey, voiceId: string): Promise<void> {
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
