import { ofRow } from '../conditions.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import type { ResultFile } from '../records.ts';
import type { Db, Tx } from '../schema.ts';
import type { DecisionsTable, DecisionKind } from '../tables/rows.ts';

/*
 * Records of people's decisions about requests (`voxbatch reconcile`, `redrive --accept`).
 */

/** A decision on record. */
export interface DecisionRecord extends AttemptKey {
  readonly what: DecisionKind;
  /** The job that the decision is about; null if none. */
  readonly jobId: string | null;
  /** User and host of the command. */
  readonly who: string;
  /** ms. */
  readonly madeAt: number;
}

/** A person's decision about a request with an unknown outcome. */
export type Decision =
  /**
   * The request made this job. `isUnsent`: the person saw no record of the request; the decision does not apply if it
   * was recorded meanwhile. `after`: how the row had ended, if the request is of its next take.
   */
  | { readonly type: 'adopted'; readonly jobId: string; readonly isUnsent?: true; readonly after?: Outcome }
  /** Reverts an earlier decision. `jobId`: the job that is taken back; null when reverting `not-charged`. */
  | { readonly type: 'released'; readonly jobId: string | null }
  /** The request was never accepted. */
  | { readonly type: 'not-charged' };

/** Records a decision. `who`: user and host of the command. `files`: the row's result until then. */
export async function recordDecision(
  tx: Tx,
  key: AttemptKey,
  decision: Decision | { readonly type: 'went-back' },
  who: string,
  files: readonly ResultFile[],
): Promise<void> {
  const number = (await decisionsOf(tx, key.batch, key.row)).length + 1;
  const { batch, row, step, take, attempt } = key;
  await tx
    .insertInto('decisions')
    .values({
      ...{ batch, row, step, take, attempt, number },
      what: decision.type,
      job_id: 'jobId' in decision ? decision.jobId : null,
      files: JSON.stringify(files),
      who,
      made_at: tx.now(),
    })
    .execute();
}

/**
 * Reads the files that were results of rows until a person took back their jobs, or went back to an earlier take; by
 * row, the oldest first. `row`: only those of this row.
 */
export async function releasedFiles(
  db: Db | Tx,
  batch: string,
  row?: number,
): Promise<readonly { readonly row: number; readonly files: readonly ResultFile[] }[]> {
  const replaced = db
    .selectFrom('decisions')
    .select(['row', 'files'])
    .where('batch', '=', batch)
    .where('what', 'in', ['released', 'went-back'])
    .orderBy('row')
    .orderBy('number');
  const lines = await (row === undefined ? replaced : replaced.where('row', '=', row)).execute();
  return lines.map((line) => ({ row: line.row, files: JSON.parse(line.files) as ResultFile[] }));
}

/** A job that a person assigned to a request and took back, so that its result is not the request's. */
export type ReleasedJob = Pick<DecisionRecord, 'row' | 'step' | 'take'> & { readonly jobId: string };

/** Reads the jobs of a batch that were taken back. */
export async function releasedJobs(db: Db, batch: string): Promise<readonly ReleasedJob[]> {
  const lines = await db
    .selectFrom('decisions')
    .select(['row', 'step', 'take', 'job_id'])
    .where('batch', '=', batch)
    .where('what', '=', 'released')
    .execute();
  return lines.flatMap(({ job_id: jobId, ...place }) => (jobId === null ? [] : [{ ...place, jobId }]));
}

/** Reads the decisions about a row's requests, oldest first. */
export async function decisionsOf(db: Db | Tx, batch: string, row: number): Promise<readonly DecisionRecord[]> {
  const lines = await db.selectFrom('decisions').selectAll().where(ofRow({ batch, row })).orderBy('number').execute();
  return lines.map(toDecision);
}

function toDecision({ batch, row, step, take, attempt, what, job_id, who, made_at }: DecisionsTable): DecisionRecord {
  return { batch, row, step, take, attempt, what, jobId: job_id, who, madeAt: made_at };
}
