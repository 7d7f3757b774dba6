import { sql } from 'kysely';
import { readSnapshot } from '../database/transactions.ts';
import type { Db, Tx } from '../schema.ts';

/*
 * Sums over all reusable results (`voxbatch cache`). Each line of the table `results` is an *entry*. Entries with the
 * same key are one *result*: one entry for the row that paid for it, and one for each row that reused it.
 */

/** Totals for one group of cache entries. */
export interface NamedSum {
  /** Batch, kind or voice. */
  readonly name: string;
  readonly entries: number;
  /** Total file size; a result counts once per entry. */
  readonly bytes: number;
}

/** Sums over the cache as a whole, in groups. Lists have the hundred largest groups. */
export interface CacheSums {
  /** One per row that made or reused a result. */
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
const MAX_SUMS = 100;
const DAY_MS = 86_400_000;

/** Returns the sums over all results, as of one moment. */
export async function sumResults(db: Db): Promise<CacheSums> {
  return readSnapshot(db, async (tx) => {
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

/** Selects one line per result, with its size and when it was last used. */
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
    .limit(MAX_SUMS)
    .execute();
}

/** Sums by kind and by voice, in one query: looking up each entry's row is the slow part. */
async function sumByKindAndVoice(tx: Tx): Promise<Pick<CacheSums, 'byKind' | 'byVoice'>> {
  const { rows } = await sql<Omit<NamedSum, 'name'> & { readonly kind: string; readonly voice: string }>`
    select rows.kind, coalesce(rows.voice, '') as voice, count(*) as entries, sum(bytes) as bytes
    from results join rows on rows.batch = results.batch and rows.row = results.row
    group by 1, 2`.execute(tx);
  return { byKind: regrouped(rows, ({ kind }) => kind), byVoice: regrouped(rows, ({ voice }) => voice) };
}

/** Adds up lines with the same name. */
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
  return [...sums.values()].toSorted((one, other) => other.bytes - one.bytes).slice(0, MAX_SUMS);
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
 * If the most recently used results are kept, up to this many bytes in all: returns when the newest result that does
 * not fit was last used, ms; null if all fit.
 */
export async function usedBeyond(db: Db, bytes: number): Promise<number | null> {
  return readSnapshot(db, async (tx) => {
    const { rows } = await sql<{ used: number }>`
      select used from (
        select used, sum(bytes) over (order by used desc, key rows unbounded preceding) as total from ${byKey(tx)} as one
      ) as sums where total > ${bytes} order by used desc limit 1`.execute(tx);
    return rows[0]?.used ?? null;
  });
}
