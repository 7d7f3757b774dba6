import type { AttemptKey } from '../../contract/batch.ts';
import type { Step, RowSpec } from '../../contract/row-kinds.ts';
import { specBefore } from '../takes/takes.ts';
import { isUnresolved, presentTakeOf } from '../conditions.ts';
import { toCharge, type ChargeRecord } from './charge-records.ts';
import { toSpec } from '../rows/row-records.ts';
import type { Db } from '../schema.ts';

/*
 * Requests whose answers are missing, and the jobs that they could have made. Read before a lost request adopts a job
 * from the API's list, and when a batch's leftovers are reported.
 */

/** The row that has a job. */
export interface JobHolder {
  readonly batch: string;
  readonly row: number;
}

/** An attempt that may have made a job that no row has. */
export interface UnresolvedAttempt extends ChargeRecord {
  /** Its row's request at the attempt's take. */
  readonly spec: RowSpec;
}

/** Requests of replaced takes that may have been charged. */
export interface EarlierUnresolved {
  readonly count: number;
  /** The first of them, in manifest order. */
  readonly first: readonly { readonly row: number; readonly id: string; readonly take: number }[];
}

/** Finds the row of the attempt that has this job, of any batch of this API and account; undefined if none has. */
export async function holderOfJob(
  db: Db,
  apiUrl: string,
  account: string,
  step: Step,
  jobId: string,
): Promise<JobHolder | undefined> {
  return db
    .selectFrom('charges')
    .innerJoin('batches', 'batches.name', 'charges.batch')
    .select(['charges.batch', 'charges.row'])
    .where('charges.job_id', '=', jobId)
    .where('charges.step', '=', step)
    .where('batches.api_url', '=', apiUrl)
    .where('batches.account', '=', account)
    .limit(1)
    .executeTakeFirst();
}

/**
 * Reads other attempts of the key's step, in any batch of this API and account, made at `since` (ms) or later, that
 * have no verdict or are `unknown`: each may have made a job that no attempt has. Includes other takes of the same row.
 */
export async function otherUnresolved(
  db: Db,
  apiUrl: string,
  account: string,
  key: AttemptKey,
  since: number,
): Promise<readonly UnresolvedAttempt[]> {
  const lines = await selectOthers(db, apiUrl, account, key, since)
    .innerJoin('rows', (join) => join.onRef('rows.batch', '=', 'charges.batch').onRef('rows.row', '=', 'charges.row'))
    .selectAll('charges')
    .select(['rows.kind', 'rows.dialect', 'rows.voice', 'rows.name', 'rows.verify', 'rows.spec'])
    .select('rows.take as rowTake')
    .execute();
  return Promise.all(
    lines.map(async (line) => {
      const charge = toCharge(line);
      const before = charge.take < line.rowTake ? await specBefore(db, charge) : undefined;
      return { ...charge, spec: before ?? toSpec(line) };
    }),
  );
}

/**
 * Counts the requests of a batch's replaced takes that may have been charged, and names at most `max` of them, for a
 * person to settle.
 */
export async function earlierUnresolved(db: Db, batch: string, max: number): Promise<EarlierUnresolved> {
  const unresolved = db
    .selectFrom('charges')
    .innerJoin('rows', (join) => join.onRef('rows.batch', '=', 'charges.batch').onRef('rows.row', '=', 'charges.row'))
    .where('charges.batch', '=', batch)
    .where(isUnresolved('charges'))
    .where('charges.state', '=', 'unknown')
    .where('charges.take', '<>', presentTakeOf('rows'));
  const { count } = await unresolved.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  const first = await unresolved
    .select(['charges.row', 'rows.id', 'charges.take'])
    .distinct()
    .orderBy('charges.row')
    .orderBy('charges.take')
    .limit(max)
    .execute();
  return { count, first };
}

/** Selects attempts of the key's step that may have made a job that no attempt has, except the key's own. */
function selectOthers(db: Db, apiUrl: string, account: string, key: AttemptKey, since: number) {
  return db
    .selectFrom('charges')
    .innerJoin('batches', 'batches.name', 'charges.batch')
    .where('charges.step', '=', key.step)
    .where(isUnresolved('charges'))
    .where('charges.intent_at', '>=', since)
    .where((eb) =>
      eb.or([
        eb('charges.batch', '!=', key.batch),
        eb('charges.row', '!=', key.row),
        eb('charges.take', '!=', key.take),
        eb('charges.attempt', '!=', key.attempt),
      ]),
    )
    .where('batches.api_url', '=', apiUrl)
    .where('batches.account', '=', account);
}
