import { sql } from 'kysely';
import { byItself } from '../../contract/actions.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import type { ResultRecord } from '../record-types.ts';
import { noteAction } from '../history/actions.ts';
import { toFile, toResult } from '../records.ts';
import { removed, forgetResult } from './kept-results.ts';
import { RowInHand } from '../rows/row-in-hand.ts';
import type { Db, Tx } from '../schema.ts';
import { look, write } from '../database/transactions.ts';

/**
 * Lists and sums over all reusable results. Lines with the same key are names of one result: one for the row that paid
 * for it, and one for each row that reused it.
 */

/** Totals for one group of cache entries. */
export interface NamedSum {
  readonly name: string;
  readonly entries: number;
  /** Total file size; a file with several names counts once per name. */
  readonly bytes: number;
}

/** The cache as a whole. Lists have the largest hundred. */
export interface CacheSums {
  /** One for each row that made or reused a result. */
  readonly entries: number;
  /** Different results. */
  readonly results: number;
  /** Total size, counting each result once. */
  readonly bytes: number;
  readonly byBatch: readonly NamedSum[];
  readonly byKind: readonly NamedSum[];
  /** The name is empty for rows without a voice. */
  readonly byVoice: readonly NamedSum[];
  /** Results by last use: within `days` days; null for longer ago. */
  readonly byAge: readonly { readonly days: number | null; readonly results: number; readonly bytes: number }[];
}

/** Max sums per list; the smallest are dropped. */
const MOST_SUMS = 100;
const DAY_MS = 86_400_000;

/** The given keys that have a result. */
export async function keysWithResult(db: Db, keys: readonly string[]): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  const found = await db.selectFrom('results').select('key').distinct().where('key', 'in', keys).execute();
  return found.map(({ key }) => key);
}

/** Sums over all results. */
export async function sumResults(db: Db): Promise<CacheSums> {
  return look(db, async (tx) => {
    const { entries } = await tx
      .selectFrom('results')
      .select((eb) => eb.fn.countAll<number>().as('entries'))
      .executeTakeFirstOrThrow();
    const { results, bytes } = await tx
      .selectFrom(byKey(tx).as('one'))
      .select((eb) => [eb.fn.countAll<number>().as('results'), eb.fn.sum<number | null>('bytes').as('bytes')])
      .executeTakeFirstOrThrow();
    return {
      entries,
      results,
      bytes: bytes ?? 0,
      byBatch: await sumByBatch(tx),
      ...(await sumByKindAndVoice(tx)),
      byAge: await sumByAge(tx),
    };
  });
}

/** A line per result, with its length and when it was last used. */
function byKey(tx: Db | Tx) {
  return tx
    .selectFrom('results')
    .select((eb) => ['key', eb.fn.max('bytes').as('bytes'), eb.fn.max('used_at').as('used')])
    .groupBy('key');
}

async function sumByBatch(tx: Tx): Promise<readonly NamedSum[]> {
  return tx
    .selectFrom('results')
    .select((eb) => ['batch as name', eb.fn.countAll<number>().as('entries'), eb.fn.sum<number>('bytes').as('bytes')])
    .groupBy('batch')
    .orderBy('bytes', 'desc')
    .orderBy('batch')
    .limit(MOST_SUMS)
    .execute();
}

/** Sums both in one query: looking up each entry's row is the slow part. */
async function sumByKindAndVoice(tx: Tx): Promise<Pick<CacheSums, 'byKind' | 'byVoice'>> {
  const { rows } = await sql<Omit<NamedSum, 'name'> & { readonly kind: string; readonly voice: string }>`
    select rows.kind, coalesce(rows.voice, '') as voice, count(*) as entries, sum(bytes) as bytes
    from results join rows on rows.batch = results.batch and rows.row = results.row
    group by 1, 2`.execute(tx);
  return { byKind: regrouped(rows, ({ kind }) => kind), byVoice: regrouped(rows, ({ voice }) => voice) };
}

function regrouped<Row extends Omit<NamedSum, 'name'>>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): readonly NamedSum[] {
  const sums = new Map<string, NamedSum>();
  for (const row of rows) {
    const name = nameOf(row);
    const { entries, bytes } = sums.get(name) ?? { entries: 0, bytes: 0 };
    sums.set(name, { name, entries: entries + row.entries, bytes: bytes + row.bytes });
  }
  return [...sums.values()].toSorted((one, other) => other.bytes - one.bytes).slice(0, MOST_SUMS);
}

async function sumByAge(tx: Tx): Promise<CacheSums['byAge']> {
  const now = tx.now();
  const { rows } = await sql<{ days: number; results: number; bytes: number }>`
    select case when used > ${now - DAY_MS} then 1 when used > ${now - 7 * DAY_MS} then 7
      when used > ${now - 30 * DAY_MS} then 30 else 0 end as days, count(*) as results, sum(bytes) as bytes
    from ${byKey(tx)} as one group by 1`.execute(tx);
  return [1, 7, 30, 0].flatMap((days) =>
    rows.filter((row) => row.days === days).map((row) => ({ ...row, days: days === 0 ? null : days })),
  );
}

/**
 * The last-use time of the newest result that does not fit when the most recently used results are kept up to this many
 * bytes; null if all fit.
 */
export async function usedBeyond(db: Db, bytes: number): Promise<number | null> {
  return look(db, async (tx) => {
    const { rows } = await sql<{ used: number }>`
      select used from (
        select used, sum(bytes) over (order by used desc, key rows unbounded preceding) as total from ${byKey(tx)} as one
      ) as sums where total > ${bytes} order by used desc limit 1`.execute(tx);
    return rows[0]?.used ?? null;
  });
}

/**
 * All entries of the results last used at or before this time (ms), ordered by key. Pages by key: starts after the
 * given key (initially the empty string) and returns at most the given number of results.
 */
export async function resultsUnused(
  db: Db,
  before: number,
  after: string,
  most: number,
): Promise<readonly (readonly ResultRecord[])[]> {
  return look(db, async (tx) => {
    const keys = await tx
      .selectFrom('results')
      .select('key')
      .where('key', '>', after)
      .groupBy('key')
      .having((eb) => eb.fn.max('used_at'), '<=', before)
      .orderBy('key')
      .limit(most)
      .execute();
    if (keys.length === 0) return [];
    const names = keys.map(({ key }) => key);
    const byName = new Map<string, ResultRecord[]>(names.map((key) => [key, []]));
    for (const one of await namesOf(tx, names)) byName.get(one.key)?.push(one);
    return [...byName.values()];
  });
}

/** All entries with this key, oldest first. */
export async function resultNames(db: Db, key: string): Promise<readonly ResultRecord[]> {
  return namesOf(db, [key]);
}

async function namesOf(db: Db | Tx, keys: readonly string[]): Promise<readonly ResultRecord[]> {
  const lines = await db.selectFrom('results').selectAll().where('key', 'in', keys).orderBy('made_at').execute();
  return lines.map(toResult);
}

/** Forgets results whose files are being removed, and marks the files as removed. */
export async function pruneResults(db: Db, results: readonly AttemptKey[], by = byItself(null)): Promise<void> {
  await write(db, async (tx) => {
    const now = tx.now();
    for (const result of results) {
      await forgetResult(tx, result);
      await markRemoved(tx, result, now);
    }
    for (const batch of new Set(results.map((one) => one.batch))) {
      const rows = results.flatMap((one) => (one.batch === batch ? [one.row] : []));
      await noteAction(tx, by, { kind: 'prune', batch, rows, details: { results: rows.length } });
    }
  });
}

/** Marks the attempt's file, and the row's if that is the row's result. */
async function markRemoved(tx: Tx, key: AttemptKey, now: number): Promise<void> {
  const row = await RowInHand.take(tx, key);
  const charge = row.chargeAt(key);
  const file = toFile(charge?.file ?? null);
  if (charge === undefined || file === null) return;
  const marked = JSON.stringify(removed(file, now));
  await row.changeCharge(charge, { file: marked });
  if (toFile(row.line.file)?.key === file.key) await row.change({ file: marked });
}

/** A file of a batch in the store. */
export interface StoredFileOfBatch {
  readonly batch: string;
  /** Name in the store. */
  readonly key: string;
}

/** The attempt has a file that was not deliberately removed. */
const IS_STORED = sql<boolean>`charges.file is not null and charges.file not like '%"removedAt":%'`;

/**
 * A stored file that was not deliberately removed, from the newest batch that has one. Batches whose rows were cleaned
 * are the last resort. Undefined if no file is on record.
 */
export async function findStoredFile(db: Db): Promise<StoredFileOfBatch | undefined> {
  const found = await db
    .selectFrom('batches')
    .select('name')
    .where((eb) =>
      eb.exists(
        eb.selectFrom('charges').select('charges.row').whereRef('charges.batch', '=', 'batches.name').where(IS_STORED),
      ),
    )
    // A batch whose rows were cleaned cannot be redriven.
    .orderBy(sql`rows_cleaned_at is not null`)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const { name: batch } = found;
  const line = await db
    .selectFrom('charges')
    .select('file')
    .where('batch', '=', batch)
    .where(IS_STORED)
    .limit(1)
    .executeTakeFirst();
  const file = toFile(line?.file ?? null);
  return file === null ? undefined : { batch, key: file.key };
}
