import { sql, type SelectQueryBuilder } from 'kysely';
import type { Outcome } from '../../contract/outcomes.ts';
import { isNoPart } from '../conditions.ts';
import type { Db, Schema, Tx } from '../schema.ts';
import { jsonMember } from './json-member.ts';

/** Which rows of a batch a person wants to see. All that is given must hold. */
export interface RowFilter {
  /** `open`: rows that have not ended. */
  readonly outcome?: Outcome | 'open';
  /** Failure class and cause, as in {@link StatusCount}. */
  readonly class?: string;
  readonly cause?: string;
  /** The message of its failure, as a pattern of `like … escape '!'`; see {@link MessageGroup}. */
  readonly message?: string;
  readonly voice?: string;
  /** The beginning of their ids. */
  readonly idPrefix?: string;
  /** A text in one of their cells or in their transcript; upper and lower case of ASCII are the same. */
  readonly text?: string;
}

/** Adds the conditions of a filter to a query of rows of a batch, without their parts. */
export function matching<O>(
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
  if (idPrefix !== undefined) some = ofPrefix(some, idPrefix);
  if (text !== undefined) {
    const [cell, transcript] = [likeOf(JSON.stringify(text).slice(1, -1)), likeOf(text)];
    some = some.where(
      sql<boolean>`(lower(input) like ${cell} escape '!' or lower(text) like ${transcript} escape '!')`,
    );
  }
  return some;
}

/** Leaves the rows whose ids begin so, after one of them: one lower bound, as SQLite seeks to the first only. */
export function ofPrefix<O>(
  query: SelectQueryBuilder<Schema, 'rows', O>,
  idPrefix: string,
  after = '',
): SelectQueryBuilder<Schema, 'rows', O> {
  const isAfter = after !== '' && after.startsWith(idPrefix);
  const from = isAfter ? query.where('id', '>', after) : query.where('id', '>=', idPrefix);
  return from.where('id', '<', `${idPrefix}\u{10ffff}`);
}

/** A pattern for `like … escape '!'` of what `lower` has made: only ASCII, so that all databases find the same. */
function likeOf(text: string): string {
  return `%${text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[!%_]/g, '!$&')}%`;
}
