import { ofRow } from '../conditions.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import type { ResultFile } from '../records.ts';
import type { Db, Tx } from '../schema.ts';
import type { DecisionsTable, DecisionKind } from '../tables/rows.ts';

/** A person's decision about a request whose outcome nobody knew. */
export interface DecisionRecord extends AttemptKey {
  readonly what: DecisionKind;
  readonly jobId: string | null;
  /** User and host of the command. */
  readonly who: string;
  readonly madeAt: number;
}

/** Records of people's decisions about requests. */

/** A person's decision about a request with an unknown outcome; see `DecisionRecord`. */
export type Decision =
  /**
   * `isUnsent`: for a request that is not on record. One that was recorded meanwhile made a job of its own. `after`:
   * how the row had ended, if the request is of its next take.
   */
  | { readonly type: 'adopted'; readonly jobId: string; readonly isUnsent?: true; readonly after?: Outcome }
  /** `jobId`: the job that is taken back; null when reverting `not-charged`. */
  | { readonly type: 'released'; readonly jobId: string | null }
  | { readonly type: 'not-charged' };

/** Records a decision. `who`: who made it. `files`: the row's result until then. */
export async function note(
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
 * Files that were results of rows until a person took their jobs back, or went back to an earlier take; in order of
 * rows, the oldest first. Default of `row`: all.
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

/** A job that a person gave to a request and took back: what it brought is no result of that. */
export type ReleasedJob = Pick<DecisionRecord, 'row' | 'step' | 'take'> & { readonly jobId: string };

/** Those jobs. */
export async function releasedJobs(db: Db, batch: string): Promise<readonly ReleasedJob[]> {
  const lines = await db
    .selectFrom('decisions')
    .select(['row', 'step', 'take', 'job_id'])
    .where('batch', '=', batch)
    .where('what', '=', 'released')
    .execute();
  return lines.flatMap(({ job_id: jobId, ...place }) => (jobId === null ? [] : [{ ...place, jobId }]));
}

/** Decisions of persons about a row's requests, oldest first. */
export async function decisionsOf(db: Db | Tx, batch: string, row: number): Promise<readonly DecisionRecord[]> {
  const lines = await db.selectFrom('decisions').selectAll().where(ofRow({ batch, row })).orderBy('number').execute();
  return lines.map(toDecision);
}

function toDecision({ batch, row, step, take, attempt, what, job_id, who, made_at }: DecisionsTable): DecisionRecord {
  return { batch, row, step, take, attempt, what, jobId: job_id, who, madeAt: made_at };
}
