import { type AttemptKey, isSameAttempt, isSameRow, attemptKeyOf } from '../../contract/batch.ts';
import { prepared, preparedEach } from '../database/prepared.ts';
import type { ResultSource } from '../requests/charge-records.ts';
import type { Db, Tx } from '../schema.ts';
import { readSnapshot } from '../database/transactions.ts';
import { isFetchedAgain, isMaking, isOffered, presentTakeOf } from '../conditions.ts';
import { aliveTimes } from '../lanes/workers.ts';
import type { ResultFile } from '../records.ts';
import type { ResultsTable } from '../tables/charges.ts';
import type { Selectable } from 'kysely';

/** A stored result that later, equal rows may use. */
export interface ResultRecord extends AttemptKey {
  readonly key: string;
  readonly file: ResultFile;
  /** `.srt` and `.vtt` files of a transcript. */
  readonly extraFiles: readonly ResultFile[];
  /** Transcribed text. */
  readonly text: string | null;
  readonly jobId: string | null;
  /** What was charged for it when it was made. */
  readonly credits: number | null;
  /** Length of all its files. */
  readonly bytes: number;
  /** When it was made, or a person last went back to it, ms. */
  readonly madeAt: number;
  /** When a row last used it, ms; at first when it was made. */
  readonly usedAt: number;
}

/**
 * Results with these keys, at most three per key, newest first. Each key also hashes the API URL and the account, so
 * results never cross accounts. Those of takes that their row has left for an earlier one are not offered.
 */
export async function findResults(db: Db, keys: readonly string[]): Promise<readonly ResultRecord[]> {
  return readSnapshot(db, async (tx) => {
    const found = await selectResultsOf(
      tx,
      keys.map((key) => ({ key })),
    );
    return found.map(toResult);
  });
}

/**
 * Looks up what would replace a request with this key: earlier results, or another row's request that may produce one,
 * except those in `passOver`.
 */
export async function findReusable(
  db: Db,
  own: AttemptKey,
  key: string,
  passOver: readonly AttemptKey[],
): Promise<{ readonly results: readonly ResultRecord[]; readonly by: MakingAttempt | undefined }> {
  return readSnapshot(db, async (tx) => ({
    results: await resultsOf(tx, key),
    by: await makingOf(tx, key, own, passOver),
  }));
}

const newestOf = (db: Db | Tx, { key }: { readonly key: string }) =>
  db
    .selectFrom('results')
    .selectAll()
    .where('key', '=', key)
    .where(isOffered('results'))
    .orderBy('made_at', 'desc')
    .limit(3);

const selectResults = prepared(newestOf, ({ key }) => `results:${key}`);
const selectResultsOf = preparedEach(newestOf);

/** The newest results with this key. */
export async function resultsOf(tx: Tx, key: string): Promise<readonly ResultRecord[]> {
  return (await selectResults(tx, { key })).map(toResult);
}

/** An attempt of another row that may still bring a result. */
export interface MakingAttempt extends AttemptKey {
  /** True if a live worker works on its batch or has its request in flight. */
  readonly isAttended: boolean;
}

const selectMaking = prepared(
  (db, { key }: { key: string }) =>
    db
      .selectFrom('charges')
      .innerJoin('rows', (join) => join.onRef('rows.batch', '=', 'charges.batch').onRef('rows.row', '=', 'charges.row'))
      .select(['charges.batch', 'charges.row', 'charges.step', 'charges.take', 'charges.attempt'])
      .select(['charges.owner', 'charges.state'])
      .where('charges.result_key', '=', key)
      .where(isMaking('charges'))
      .where('rows.outcome', 'is', null)
      .where((eb) => eb.or([eb('charges.take', '=', presentTakeOf('rows')), isFetchedAgain('charges')])),
  ({ key }) => `making:${key}`,
);

/** Asks for both ahead. */
export function prefetchInstead(tx: Tx, key: string): readonly Promise<unknown>[] {
  return [selectResults(tx, { key }), selectMaking(tx, { key })];
}

/**
 * Another row's attempt that may still produce the result with this key, except those in `passOver`. Its row is open
 * and is at that take or waits for that lost file. Nothing else holds a key, so a kill leaves no stale lock.
 */
export async function makingOf(
  tx: Tx,
  key: string,
  own: AttemptKey,
  passOver: readonly AttemptKey[],
): Promise<MakingAttempt | undefined> {
  const others = (await selectMaking(tx, { key })).filter(
    (one) => !isSameRow(one, own) && !passOver.some((passed) => isSameAttempt(one, passed)),
  );
  const [first] = others;
  if (first === undefined) return undefined;
  const { owner, state, ...attempt } = first;
  const found = await tx
    .selectFrom('workers')
    .select('owner')
    .where((eb) => eb.between('seen_at', ...aliveTimes(tx)))
    .where((eb) => {
      const hasLane = eb(
        'owner',
        'in',
        eb.selectFrom('lanes').select('lanes.owner').where('lanes.batch', '=', attempt.batch),
      );
      // The sender only records its answer; the steps that follow need a lane. A worker may live for weeks after it has
      // left the batch.
      return state === 'sending' ? eb.or([eb('owner', '=', owner), hasLane]) : hasLane;
    })
    .executeTakeFirst();
  return { ...attempt, isAttended: found !== undefined };
}

/** The record of an earlier result, kept with the attempt that used it or could not. */
export function sourceOf(result: ResultRecord, is: ResultSource['is']): ResultSource {
  const { jobId, madeAt, credits } = result;
  return { is, from: attemptKeyOf(result), jobId, madeAt, credits };
}

/** The given keys that have a result which later rows may use. */
export async function keysWithResult(db: Db, keys: readonly string[]): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  const query = db.selectFrom('results').select('key').distinct().where('key', 'in', keys).where(isOffered('results'));
  const found = await query.execute();
  return found.map(({ key }) => key);
}

/** All entries with this key, oldest first. */
export async function resultNames(db: Db, key: string): Promise<readonly ResultRecord[]> {
  return namesOf(db, [key]);
}

export async function namesOf(db: Db | Tx, keys: readonly string[]): Promise<readonly ResultRecord[]> {
  const lines = await db.selectFrom('results').selectAll().where('key', 'in', keys).orderBy('made_at').execute();
  return lines.map(toResult);
}

export function toResult(line: Selectable<ResultsTable>): ResultRecord {
  const { key, batch, row, step, take, attempt, text, credits, bytes } = line;
  return {
    key,
    batch,
    row,
    step,
    take,
    attempt,
    text,
    credits,
    bytes,
    file: JSON.parse(line.file) as ResultFile,
    extraFiles: line.extra_files === null ? [] : (JSON.parse(line.extra_files) as ResultFile[]),
    jobId: line.job_id,
    madeAt: line.made_at,
    usedAt: line.used_at,
  };
}
