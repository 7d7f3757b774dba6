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

/*
 * Finds results in the cache, and attempts that are *making* one: they may still bring a result of the same key, so
 * other rows wait for it instead of paying for another.
 */

/** A stored result that later rows with the same request may use. */
export interface ResultRecord extends AttemptKey {
  /** Cache key: a hash of the request, the API URL and the account. */
  readonly key: string;
  readonly file: ResultFile;
  /** `.srt` and `.vtt` files of a transcript. */
  readonly extraFiles: readonly ResultFile[];
  /** Transcribed text. */
  readonly text: string | null;
  readonly jobId: string | null;
  /** What was charged for it when it was made. */
  readonly credits: number | null;
  /** Total size of its files. */
  readonly bytes: number;
  /** When it was made, or a person last went back to it, ms. */
  readonly madeAt: number;
  /** When a row last used it, ms; at first when it was made. */
  readonly usedAt: number;
}

/**
 * Reads results with these keys, at most three per key, newest first. Leaves out those of takes that a person rejected
 * by going back to an earlier take.
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
 * Looks up what could replace the request of attempt `own` with this key: earlier results; and `by`, another row's
 * attempt that may still produce one, but none of `passOver`: those that no worker has worked on for long.
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
    // Not only the newest: its files may be missing or altered.
    .limit(3);

const selectResults = prepared(newestOf, ({ key }) => `results:${key}`);
const selectResultsOf = preparedEach(newestOf);

/** Reads the newest results with this key. */
export async function resultsOf(tx: Tx, key: string): Promise<readonly ResultRecord[]> {
  return (await selectResults(tx, { key })).map(toResult);
}

/** An attempt of another row that may still bring a result. */
export interface MakingAttempt extends AttemptKey {
  /** Whether a live worker works on its batch or has its request in flight. */
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

/** Starts the reads of {@link resultsOf} and {@link makingOf} in advance; for the `prefetch` of `write`. */
export function prefetchReusable(tx: Tx, key: string): readonly Promise<unknown>[] {
  return [selectResults(tx, { key }), selectMaking(tx, { key })];
}

/**
 * Finds an attempt of a row other than `own` that may still produce the result with this key, but none of `passOver`.
 * Its row is open, and at the attempt's take or waiting for its lost file. The attempt's record is all that reserves a
 * key, so a killed process leaves no stale lock.
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

/** Describes an earlier result, for the record of the attempt that used it, or could not (`is`). */
export function sourceOf(result: ResultRecord, is: ResultSource['is']): ResultSource {
  const { jobId, madeAt, credits } = result;
  return { is, from: attemptKeyOf(result), jobId, madeAt, credits };
}

/** Returns those of these keys that have a result which later rows may use. */
export async function keysWithResult(db: Db, keys: readonly string[]): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  const query = db.selectFrom('results').select('key').distinct().where('key', 'in', keys).where(isOffered('results'));
  const found = await query.execute();
  return found.map(({ key }) => key);
}

/** Reads all entries with this key, oldest first: of the row that made the result and of those that reused it. */
export async function resultEntries(db: Db, key: string): Promise<readonly ResultRecord[]> {
  return entriesOf(db, [key]);
}

/** Reads all entries with these keys, oldest first. */
export async function entriesOf(db: Db | Tx, keys: readonly string[]): Promise<readonly ResultRecord[]> {
  const lines = await db.selectFrom('results').selectAll().where('key', 'in', keys).orderBy('made_at').execute();
  return lines.map(toResult);
}

/** Converts a line of `results`. */
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
