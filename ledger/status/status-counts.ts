import type { FailureClass } from '../../contract/failures.ts';
import type { Outcome, RowState } from '../../contract/outcomes.ts';
import { prepared } from '../database/prepared.ts';
import type { Db } from '../schema.ts';

/** How many rows have the same status and reason. */
export interface StatusCount {
  /** Their outcome, or the state of open rows. */
  readonly standing: Outcome | RowState;
  /** Failure class and cause. Both are empty for rows without a failure; the cause also if the failure has none. */
  readonly class: FailureClass | '';
  readonly cause: string;
  readonly rows: number;
}

const select = prepared((db, { batch }: { batch: string }) =>
  db
    .selectFrom('row_counts')
    .select(['standing', 'class', 'cause', 'n as rows'])
    .where('batch', '=', batch)
    .where('n', '>', 0)
    .orderBy('n', 'desc')
    .orderBy('standing')
    .orderBy('class')
    .orderBy('cause'),
);

/** Counts the rows of a batch by status and reason, most rows first. Reads the counts that triggers maintain. */
export async function statusCounts(db: Db, batch: string): Promise<readonly StatusCount[]> {
  return select(db, { batch });
}
