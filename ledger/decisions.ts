import type { AttemptKey } from '../contract/batch.ts';
import type { Failure } from '../contract/failures.ts';
import { STEPS } from '../contract/row-kinds.ts';
import { chargesOfStep, isCurrent, requireCharge, settleInside, updateCharge } from './charges.ts';
import { LedgerMisuse } from './errors.ts';
import type { Decision } from './ledger.ts';
import type { DecisionRecord, ResultFile } from './record-types.ts';
import { toRow } from './records.ts';
import { write, type Db, type DecisionsTable, type Tx } from './schema.ts';

/**
 * What a person says of a request whose outcome nobody knows, or takes back of what was said. Each is on record with the change that it
 * makes, in one transaction. Nothing here pays.
 */

/** See {@link Ledger.decide}. */
export async function decide(db: Db, key: AttemptKey, decision: Decision): Promise<boolean> {
  return write(db, async (tx) => {
    const files = decision.what === 'released' ? await release(tx, key) : [];
    if (decision.what === 'adopted') {
      const verdict = { verdict: 'accepted', jobId: decision.jobId, isAdopted: true } as const;
      if (!(await settleInside(tx, key, verdict, { state: 'processing' }))) return false;
    }
    if (decision.what === 'not-charged') {
      if (await isCurrent(tx, key)) {
        throw new LedgerMisuse(
          `Row ${key.row} of "${key.batch}" is at take ${key.take}: what was not charged is sent again, which is for a new take. Nothing was changed.`,
        );
      }
      if (!(await settleInside(tx, key, { verdict: 'not-accepted' }, { state: 'waiting' }))) return false;
    }
    if (files === undefined) return false;
    await note(tx, key, decision, files);
    return true;
  });
}

/**
 * Takes back the job that a person gave to an attempt: nobody knows its outcome again, and its row, if it is still at that take, ends
 * `unknown`. Returns the files that were the row's result; undefined, and changes nothing, where no person gave it a job.
 */
async function release(tx: Tx, key: AttemptKey): Promise<readonly ResultFile[] | undefined> {
  const last = (await decisionsIn(tx, key.batch, key.row)).findLast(
    ({ step, take, attempt }) => step === key.step && take === key.take && attempt === key.attempt,
  );
  const charge = requireCharge(await chargesOfStep(tx, key), key);
  if (last?.what !== 'adopted' || charge.state !== 'accepted' || charge.jobId !== last.jobId) return undefined;
  await refuseLaterSteps(tx, key);
  await updateCharge(tx, charge, {
    state: 'unknown',
    job_id: null,
    charged: null,
    charged_from: null,
    finished_at: null,
    file: null,
    failure: null,
  });
  if (!(await isCurrent(tx, key))) return [];
  const at = tx.updateTable('rows').where('batch', '=', key.batch).where('row', '=', key.row);
  const line = await tx
    .selectFrom('rows')
    .selectAll()
    .where('batch', '=', key.batch)
    .where('row', '=', key.row)
    .executeTakeFirstOrThrow();
  const { file, extraFiles } = toRow(line);
  const message = `Job ${charge.jobId ?? ''} was given to the row by a person and taken back: it is not known whether its own request was charged.`;
  const failure: Failure = { class: 'OutcomeUnknown', message, cause: 'a job that was taken back' };
  const now = Date.now();
  await at
    .set((eb) => ({
      outcome: 'unknown',
      failure: JSON.stringify(failure),
      file: null,
      extra_files: null,
      text: null,
      wait_since: null,
      lane: null,
      hold: eb('hold', '+', 1),
      updated_at: now,
      ended_at: now,
    }))
    .execute();
  return file === null ? [] : [file, ...extraFiles];
}

/** What was made with the result of the foreign job cannot be taken back with it. */
async function refuseLaterSteps(tx: Tx, { batch, row, step, take }: AttemptKey): Promise<void> {
  const made = await tx
    .selectFrom('charges')
    .select('step')
    .where('batch', '=', batch)
    .where('row', '=', row)
    .where('take', '=', take)
    .where('state', 'in', ['sending', 'accepted', 'done', 'unknown'])
    .execute();
  const later = made.find((one) => STEPS.indexOf(one.step) > STEPS.indexOf(step));
  if (later === undefined) return;
  throw new LedgerMisuse(
    `Row ${row} of "${batch}" has a ${later.step} request that was made with the result of that job. Nothing was changed.`,
  );
}

async function note(tx: Tx, key: AttemptKey, decision: Decision, files: readonly ResultFile[]): Promise<void> {
  const number = (await decisionsIn(tx, key.batch, key.row)).length + 1;
  const { batch, row, step, take, attempt } = key;
  await tx
    .insertInto('decisions')
    .values({
      ...{ batch, row, step, take, attempt, number },
      what: decision.what,
      job_id: decision.what === 'not-charged' ? null : decision.jobId,
      files: JSON.stringify(files),
      who: decision.who,
      made_at: Date.now(),
    })
    .execute();
}

/** See {@link Ledger.decisionsOf}. */
export async function decisionsOf(db: Db, batch: string, row: number): Promise<readonly DecisionRecord[]> {
  return decisionsIn(db, batch, row);
}

/** See {@link Ledger.releasedFiles}. */
export async function releasedFiles(
  db: Db,
  batch: string,
): Promise<readonly { readonly row: number; readonly files: readonly ResultFile[] }[]> {
  const lines = await db
    .selectFrom('decisions')
    .select(['row', 'files'])
    .where('batch', '=', batch)
    .where('what', '=', 'released')
    .orderBy('row')
    .execute();
  return lines.map(({ row, files }) => ({ row, files: JSON.parse(files) as ResultFile[] }));
}

async function decisionsIn(db: Db | Tx, batch: string, row: number): Promise<readonly DecisionRecord[]> {
  const lines = await db
    .selectFrom('decisions')
    .selectAll()
    .where('batch', '=', batch)
    .where('row', '=', row)
    .orderBy('number')
    .execute();
  return lines.map(toDecision);
}

function toDecision({ batch, row, step, take, attempt, what, job_id, who, made_at }: DecisionsTable): DecisionRecord {
  return { batch, row, step, take, attempt, what, jobId: job_id, who, madeAt: made_at };
}
