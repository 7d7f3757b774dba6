import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely';
import { isFetchedAgain, isRunning, isUnresolved, presentTakeOf } from '../conditions.ts';
import { preparedEach } from '../database/prepared.ts';
import { type ChargeRecord, toCharge } from '../requests/charge-records.ts';
import type { RowKey } from '../rows/line-changes.ts';
import type { Db, Schema, Tx } from '../schema.ts';
import type { ChargesTable } from '../tables/charges.ts';
import type { RowsTable } from '../tables/rows.ts';

/*
 * The open rows of a batch that is being stopped (`stops.ts`): *idle* rows, which have nothing in flight, nothing in
 * doubt and no running job; and rows with a *running* job.
 */

/** `charges` joined with `rows`, under these aliases. */
type Joined = Schema & { c: ChargesTable; r: RowsTable };

/** A page of rows. */
export interface RowPage {
  /** Only rows with larger numbers. */
  readonly after: number;
  /** Max rows. */
  readonly max: number;
}

/** Selects the numbers of a page of rows, in order. */
export type SelectRows = (tx: Tx, batch: string, page: RowPage) => Promise<readonly number[]>;

/** Reads the batch's accepted attempts whose jobs may still run; only the latest attempt of each step counts. */
export async function runningJobs(db: Db | Tx, batch: string): Promise<readonly ChargeRecord[]> {
  const lines = await running(db, batch).selectAll('c').orderBy('c.row').execute();
  return lines.map(toCharge);
}

/** Selects a page of idle rows. */
export const idleRows: SelectRows = async (tx, batch, { after, max }) => {
  const lines = await idle(tx, batch).select('r.row').where('r.row', '>', after).orderBy('r.row').limit(max).execute();
  return lines.map(({ row }) => row);
};

/** Reads the line of a row if it is still idle. */
export const selectIdle = preparedEach((db, { batch, row }: RowKey) =>
  idle(db, batch).selectAll('r').where('r.row', '=', row),
);

/** Selects a page of open rows with a running job. */
export const runningRows: SelectRows = async (tx, batch, { after, max }) => {
  const lines = await running(tx, batch)
    .select('c.row')
    .distinct()
    .where('r.outcome', 'is', null)
    .where('c.row', '>', after)
    .orderBy('c.row')
    .limit(max)
    .execute();
  return lines.map(({ row }) => row);
};

/** Reads the line of a row that still has a running job: once for each job, with its id. */
export const selectRunning = preparedEach((db, { batch, row }: RowKey) =>
  running(db, batch).selectAll('r').select('c.job_id').where('r.outcome', 'is', null).where('c.row', '=', row),
);

function idle(db: Db | Tx, batch: string): SelectQueryBuilder<Schema & { r: RowsTable }, 'r', object> {
  return (
    db
      .selectFrom('rows as r')
      .where('r.batch', '=', batch)
      .where('r.outcome', 'is', null)
      // A split row ends with its last part.
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
              // `limit` and `offset` force a look-up per row: the planner, which has no statistics of a new batch,
              // would compare all requests with each row.
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
 * Condition: the latest attempt of its step in the row's current take, because nobody waits for jobs of earlier takes.
 * Or an attempt in flight, whatever its take, or one whose job is read again for a lost file.
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
