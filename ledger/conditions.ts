import { sql, type RawBuilder } from 'kysely';

/**
 * Conditions of the partial indexes, word for word as in the schema of the database: if a name were a parameter, the database could
 * not tell in advance that the index covers the query.
 */

/** Attempts in flight: index `charges_sending`. */
export function isSending(charges: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${charges}.state`)} = 'sending'`;
}

/** Attempts that may have made a job that belongs to nobody: index `charges_doubt`. */
export function isUnresolved(charges: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${charges}.state`)} in ('sending', 'unknown')`;
}

/** Accepted attempts whose jobs are not known to have ended: index `charges_running`. */
export function isRunning(charges: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${charges}.state`)} = 'accepted' and ${sql.ref(`${charges}.finished_at`)} is null`;
}

/** Those of them that are read again for a file that was stored, and is lost; of any take of their row. */
export function isFetchedAgain(charges: string): RawBuilder<boolean> {
  return sql<boolean>`${isRunning(charges)} and ${sql.ref(`${charges}.file`)} is not null`;
}

/** Those of them whose price may still change: they have not ended before with a file, or with their price. */
export function isUnpriced(charges: string): RawBuilder<boolean> {
  const at = (column: string): RawBuilder<unknown> => sql`${sql.ref(`${charges}.${column}`)}`;
  return sql<boolean>`${isRunning(charges)} and ${at('file')} is null and ${at('priced_at')} is null`;
}

/** Attempts that may still bring the result they are known by: index `charges_making`. */
export function isMaking(charges: string): RawBuilder<boolean> {
  const at = (column: string): RawBuilder<unknown> => sql`${sql.ref(`${charges}.${column}`)}`;
  return sql<boolean>`${at('result_key')} is not null and ${at('state')} in ('sending', 'accepted', 'unknown') and ${at('finished_at')} is null`;
}

/** Rows that `--limit` or `--sample` left out: they never began, so they have no end time. Index `rows_not_chosen`. */
export function isNotChosen(rows: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${rows}.outcome`)} = 'skipped' and ${sql.ref(`${rows}.ended_at`)} is null`;
}

/** All other rows. */
export function isChosen(rows: string): RawBuilder<boolean> {
  return sql<boolean>`(${isNotChosen(rows)}) is not true`;
}

/** Rows that were never sent, as far as the row's record says: index `rows_untouched`. */
export function isUntouched(rows: string): RawBuilder<boolean> {
  const at = (column: string): RawBuilder<unknown> => sql`${sql.ref(`${rows}.${column}`)}`;
  return sql<boolean>`${at('outcome')} is null and ${at('state')} = 'waiting' and ${at('take')} = 1`;
}

/** Free rows that the budget holds room for: index `rows_reserved`. */
export function isReserved(rows: string): RawBuilder<boolean> {
  const at = (column: string): RawBuilder<unknown> => sql`${sql.ref(`${rows}.${column}`)}`;
  return sql<boolean>`${at('outcome')} is null and ${at('lane')} is null and ${at('state')} = 'waiting' and ${at('promised')} > 0`;
}

/** The take at which a row stands, as `presentTake` says. */
export function presentTakeOf(rows: string): RawBuilder<number> {
  const at = (column: string): RawBuilder<unknown> => sql`${sql.ref(`${rows}.${column}`)}`;
  return sql<number>`coalesce(${at('returned_to')}, ${at('take')})`;
}

/** Parts of rows: indexes `rows_part_of`. */
export function isPart(rows: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${rows}.part_of`)} is not null`;
}

/** Rows of the manifest. */
export function isNoPart(rows: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${rows}.part_of`)} is null`;
}

/** Rows that have made a voice; `text` is its id. Index `rows_made_voices`. */
export function hasMadeVoice(rows: string): RawBuilder<boolean> {
  const at = (column: string): RawBuilder<unknown> => sql`${sql.ref(`${rows}.${column}`)}`;
  return sql<boolean>`${at('kind')} = 'voice' and ${at('outcome')} = 'succeeded'`;
}
