import { sql, type RawBuilder } from 'kysely';

/**
 * Conditions of the partial indexes, word for word as the migrations have them: with a parameter in the place of a name, a database could
 * not know before it is given that the index holds what is asked for.
 */

/** Attempts in flight: index `charges_sending`. */
export function isSending(charges: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${charges}.state`)} = 'sending'`;
}

/** Attempts that may have made a job that nobody claims: index `charges_doubt`. */
export function isUnresolved(charges: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${charges}.state`)} in ('sending', 'unknown')`;
}

/** Accepted attempts whose jobs have not ended as far as is known: index `charges_running`. */
export function isRunning(charges: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${charges}.state`)} = 'accepted' and ${sql.ref(`${charges}.finished_at`)} is null`;
}

/** Rows that `--limit` or `--sample` left out: they never began, so they have no time of their end. Index `rows_not_chosen`. */
export function isNotChosen(rows: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${rows}.outcome`)} = 'skipped' and ${sql.ref(`${rows}.ended_at`)} is null`;
}

/** All other rows. */
export function isChosen(rows: string): RawBuilder<boolean> {
  return sql<boolean>`(${isNotChosen(rows)}) is not true`;
}

/** Rows of which nothing was asked yet, as far as the row knows: index `rows_untouched`. */
export function isUntouched(rows: string): RawBuilder<boolean> {
  const at = (column: string): RawBuilder<unknown> => sql`${sql.ref(`${rows}.${column}`)}`;
  return sql<boolean>`${at('outcome')} is null and ${at('state')} = 'waiting' and ${at('take')} = 1`;
}
