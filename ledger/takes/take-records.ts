import type { AttemptKey } from '../../contract/batch.ts';
import type { Failure } from '../../contract/failures.ts';
import type { Outcome, TakeReason } from '../../contract/outcomes.ts';
import type { ResultFile } from '../records.ts';
import type { RowRecord } from '../rows/row-records.ts';
import type { RowSpec, Step } from '../../contract/row-kinds.ts';
import type { TakesTable } from '../tables/rows.ts';

/** Why and when a row got a new take, and its state before. Take 1 has no such record. */
export interface TakeRecord {
  readonly batch: string;
  readonly row: number;
  /** From 2. */
  readonly take: number;
  readonly reason: TakeReason;
  /** The first step that it pays for. */
  readonly fromStep: Step;
  /** ms. */
  readonly madeAt: number;
  /** The row before this take. */
  readonly before: {
    readonly outcome: Outcome | null;
    readonly failure: Failure | null;
    /** The result that it replaces. */
    readonly file: ResultFile | null;
    readonly extraFiles: readonly ResultFile[];
    /** The row's previous request; only if this take changes it. */
    readonly spec?: RowSpec;
    readonly input?: readonly string[];
    /** Which takes its results came from, for undoing the take. Omitted in records that predate this field. */
    readonly standing?: Pick<RowRecord, 'redoFrom' | 'acceptedTake' | 'returnedTo'>;
    /** The lost result that the row stopped fetching, for undoing the take. Default: none. */
    readonly givenUp?: GivenUp;
  };
}

/** An attempt with a lost result, as it was before the row was paid for again. */
export interface GivenUp {
  readonly attempt: AttemptKey;
  /** Its lost file; null if none was ever stored. */
  readonly file: ResultFile | null;
  /** Whether its job was being read again. */
  readonly isRead: boolean;
}

/** Converts a line of `takes`. */
export function toTake(line: TakesTable): TakeRecord {
  return {
    batch: line.batch,
    row: line.row,
    take: line.take,
    reason: line.reason,
    fromStep: line.from_step,
    madeAt: line.made_at,
    before: JSON.parse(line.before) as TakeRecord['before'],
  };
}
