import { sql, type SelectQueryBuilder } from 'kysely';
import type { Outcome } from '../../contract/outcomes.ts';
import { isNoPart } from '../conditions.ts';
import type { Db, Schema, Tx } from '../schema.ts';
import { jsonMember } from './json-member.ts';

/** Which rows of a batch a person wants to see: those that meet all given conditions. */
export interface RowFilter {
  /** `open`: rows that have not ended. */
  readonly outcome?: Outcome | 'open';
  /** Failure class; empty for rows without a failure. */
  readonly class?: string;
  /** Failure cause; empty for rows whose failure has none. */
  readonly cause?: string;
  /** Matches the failure's message: a pattern for `like … escape '!'`, from `MessageGroup` (`status/`). */
  readonly message?: string;
  /** The voice that they speak with, as in the column `voice`. */
  readonly voice?: string;
  /** The beginning of their ids. */
  readonly idPrefix?: string;
  /** A text in one of their input cells or in their transcript; case-insensitive for ASCII letters. */
  readonly text?: string;
}

/** Whether an index of the ledger serves a condition alone. */
const IS_INDEXED = {
  outcome: true,
  class: false,
  cause: false,
  message: false,
  voice: false,
  idPrefix: true,
  text: false,
} as const satisfies Record<keyof RowFilter, boolean>;

/** Whether no index serves the filter's conditions, so that many rows may have to be read that do not meet them. */
export function isSearch(filter: RowFilter): boolean {
  // The index of ids does not contain the outcome.
  if (filter.idPrefix !== undefined && filter.outcome !== undefined) return true;
  const names = Object.keys(IS_INDEXED) as (keyof RowFilter)[];
  return names.some((name) => !IS_INDEXED[name] && filter[name] !== undefined);
}

/** Adds the conditions of a filter to a query of a batch's rows. Excludes parts of rows. */
export function whereFilter<O>(
  db: Db | Tx,
  query: SelectQueryBuilder<Schema, 'rows', O>,
  batch: string,
  { outcome, class: name, cause, message, voice, idPrefix, text }: RowFilter,
): SelectQueryBuilder<Schema, 'rows', O> {
  let some = query.where('batch', '=', batch).where(isNoPart('rows'));
  if (outcome === 'open') some = some.where('outcome', 'is', null);
  else if (outcome !== undefined) some = some.where('outcome', '=', outcome);
  if (name !== undefined) some = some.where(sql<boolean>`coalesce(failure_class, '') = ${name}`);
  if (cause !== undefined) some = some.where(sql<boolean>`coalesce(failure_cause, '') = ${cause}`);
  if (message !== undefined)
    some = some.where(sql<boolean>`${jsonMember(db, 'failure', 'message')} like ${message} escape '!'`);
  if (voice !== undefined) some = some.where('voice', '=', voice);
  if (idPrefix !== undefined) some = whereIdStartsWith(some, idPrefix);
  if (text !== undefined) {
    // The cells are stored as JSON, so the text is looked for in its JSON form.
    const [cell, transcript] = [likeOf(JSON.stringify(text).slice(1, -1)), likeOf(text)];
    some = some.where(
      sql<boolean>`(lower(input) like ${cell} escape '!' or lower(text) like ${transcript} escape '!')`,
    );
  }
  return some;
}

/**
 * Adds the condition that ids start with a prefix; with `after`, only ids after that one. Gives a single lower bound,
 * because SQLite uses only the first of two to seek in the index.
 */
export function whereIdStartsWith<O>(
  query: SelectQueryBuilder<Schema, 'rows', O>,
  idPrefix: string,
  after = '',
): SelectQueryBuilder<Schema, 'rows', O> {
  const isAfter = after !== '' && after.startsWith(idPrefix);
  const from = isAfter ? query.where('id', '>', after) : query.where('id', '>=', idPrefix);
  return from.where('id', '<', `${idPrefix}\u{10ffff}`);
}

/**
 * Returns a pattern for `lower(…) like … escape '!'` that matches texts which contain this one. Lowers ASCII letters
 * only, as SQLite's `lower` does, so that all databases find the same.
 */
function likeOf(text: string): string {
  return `%${text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[!%_]/g, '!$&')}%`;
}
