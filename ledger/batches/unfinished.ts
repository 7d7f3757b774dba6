import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely';
import { isFetchedAgain, isRunning, isUnresolved, presentTakeOf } from '../conditions.ts';
import { preparedEach } from '../database/prepared.ts';
import { type ChargeRecord, toCharge } from '../requests/charge-records.ts';
import type { RowKey } from '../rows/line-changes.ts';
import type { Db, Schema, Tx } from '../schema.ts';
import type { ChargesTable } from '../tables/charges.ts';
import type { RowsTable } from '../tables/rows.ts';

/**
 * What is left of a batch that is being stopped: rows that have nothing under way, and rows whose jobs may still run.
 */

type Joined = Schema & { c: ChargesTable; r: RowsTable };

/** Where a page of rows begins, and how many it may have. */
export interface PageOf {
  readonly after: number;
  readonly most: number;
}

/** Numbers of rows in order, at most as many as a page may have. */
export type SelectRows = (tx: Tx, batch: string, page: PageOf) => Promise<readonly number[]>;

/** The batch's accepted attempts whose jobs may still run; only the latest attempt of each step counts. */
export async function runningJobs(db: Db | Tx, batch: string): Promise<readonly ChargeRecord[]> {
  const lines = await running(db, batch).selectAll('c').orderBy('c.row').execute();
  return lines.map(toCharge);
}

/** The next open rows with nothing in flight, nothing in doubt and no unfinished job. */
export const idleRows: SelectRows = async (tx, batch, { after, most }) => {
  const lines = await idle(tx, batch).select('r.row').where('r.row', '>', after).orderBy('r.row').limit(most).execute();
  return lines.map(({ row }) => row);
};

/** Those of these rows that are still so, as they are. */
export const selectIdle = preparedEach((db, { batch, row }: RowKey) =>
  idle(db, batch).selectAll('r').where('r.row', '=', row),
);

/** The next open rows whose jobs may still run. */
export const runningRows: SelectRows = async (tx, batch, { after, most }) => {
  const lines = await running(tx, batch)
    .select('c.row')
    .distinct()
    .where('r.outcome', 'is', null)
    .where('c.row', '>', after)
    .orderBy('c.row')
    .limit(most)
    .execute();
  return lines.map(({ row }) => row);
};

/** Those of these rows that are still so, as they are, once for each job. */
export const selectRunning = preparedEach((db, { batch, row }: RowKey) =>
  running(db, batch).selectAll('r').select('c.job_id').where('r.outcome', 'is', null).where('c.row', '=', row),
);

function idle(db: Db | Tx, batch: string): SelectQueryBuilder<Schema & { r: RowsTable }, 'r', object> {
  return (
    db
      .selectFrom('rows as r')
      .where('r.batch', '=', batch)
      .where('r.outcome', 'is', null)
      // A row in parts ends with the last of them.
      .where('r.parts', 'is', null)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('charges as c')
              .select('c.row')
              .whereRef('c.batch', '=', 'r.batch')
              .whereRef('c.row', '=', 'r.row')
              .where((of) => of.or([isUnresolved('c'), isRunning('c')]))
              .where(isLatest)
              // Looked up row by row: the planner, which has seen none of the requests of a new batch, would compare
              // all of them with each row.
              .limit(1)
              .offset(0),
          ),
        ),
      )
  );
}

function running(db: Db | Tx, batch: string): SelectQueryBuilder<Joined, 'c' | 'r', object> {
  return db
    .selectFrom('charges as c')
    .innerJoin('rows as r', (join) => join.onRef('r.batch', '=', 'c.batch').onRef('r.row', '=', 'c.row'))
    .where('c.batch', '=', batch)
    .where(isRunning('c'))
    .where(isLatest);
}

/**
 * The latest attempt of each step in each row's current take: nobody waits for the jobs of earlier takes. Also an
 * attempt in flight, whatever its take, and a job read again for a lost file.
 */
function isLatest(eb: ExpressionBuilder<Joined, 'c' | 'r'>) {
  return eb.and([
    eb.or([eb('c.state', '=', 'sending'), eb('c.take', '=', presentTakeOf('r')), isFetchedAgain('c')]),
    eb.not(
      eb.exists(
        eb
          .selectFrom('charges as later')
          .select('later.row')
          .whereRef('later.batch', '=', 'c.batch')
          .whereRef('later.row', '=', 'c.row')
          .whereRef('later.step', '=', 'c.step')
          .whereRef('later.take', '=', 'c.take')
          .whereRef('later.attempt', '>', 'c.attempt'),
      ),
    ),
  ]);
}
