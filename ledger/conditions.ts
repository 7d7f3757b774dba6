import { sql, type RawBuilder } from 'kysely';
import type { AttemptKey } from '../contract/batch.ts';
import { ACCEPTED_STATES, type AttemptState } from '../contract/outcomes.ts';

/*
 * SQL conditions that several queries share. `rows`, `charges`, `results`: the name or alias of that table in the
 * query.
 *
 * Those with an index repeat the condition of that partial index (`tables/create-tables.ts`) word for word, with
 * literals instead of parameters: with a parameter, the planner could not tell that the index covers the query.
 */

/** Refers to columns of this table or alias by their names. */
function columnsOf(table: string): (column: string) => RawBuilder<unknown> {
  return (column) => sql.ref(`${table}.${column}`);
}

/**
 * Matches the line of a row, or all lines of another table that belong to the row. The query must use a single table.
 */
export function ofRow({ batch, row }: Pick<AttemptKey, 'batch' | 'row'>): RawBuilder<boolean> {
  return sql<boolean>`batch = ${batch} and row = ${row}`;
}

/** Matches an attempt's line. The query must use a single table. */
export function ofAttempt({ batch, row, step, take, attempt }: AttemptKey): RawBuilder<boolean> {
  return sql<boolean>`batch = ${batch} and row = ${row} and step = ${step} and take = ${take} and attempt = ${attempt}`;
}

/** Attempts in flight: index `charges_sending`. */
export function isSending(charges: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${charges}.state`)} = 'sending'`;
}

/** Attempts that may have created a job that no attempt has on record: index `charges_doubt`. */
export function isUnresolved(charges: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${charges}.state`)} in ('sending', 'unknown')`;
}

/** Accepted attempts whose jobs may still run: index `charges_running`. */
export function isRunning(charges: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${charges}.state`)} = 'accepted' and ${sql.ref(`${charges}.finished_at`)} is null`;
}

/** Running attempts whose job is read again because their stored file is lost, whatever their take. */
export function isFetchedAgain(charges: string): RawBuilder<boolean> {
  return sql<boolean>`${isRunning(charges)} and ${sql.ref(`${charges}.file`)} is not null`;
}

/** Running attempts whose charge may still change: their job has not ended before with a file or a price. */
export function isUnpriced(charges: string): RawBuilder<boolean> {
  const at = columnsOf(charges);
  return sql<boolean>`${isRunning(charges)} and ${at('file')} is null and ${at('priced_at')} is null`;
}

/** Attempts that may still produce the result of their key: index `charges_making`. */
export function isMaking(charges: string): RawBuilder<boolean> {
  const at = columnsOf(charges);
  return sql<boolean>`${at('result_key')} is not null and ${at('state')} in ('sending', 'accepted', 'unknown') and ${at('finished_at')} is null`;
}

/** Rows that `--limit` or `--sample` left out: they never began, so they have no end time. Index `rows_not_chosen`. */
export function isNotChosen(rows: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${rows}.outcome`)} = 'skipped' and ${sql.ref(`${rows}.ended_at`)} is null`;
}

/** Rows that `--limit` or `--sample` did not leave out. */
export function isChosen(rows: string): RawBuilder<boolean> {
  return sql<boolean>`(${isNotChosen(rows)}) is not true`;
}

/** Rows never sent, judging by the row's own record: index `rows_untouched`. */
export function isUntouched(rows: string): RawBuilder<boolean> {
  const at = columnsOf(rows);
  return sql<boolean>`${at('outcome')} is null and ${at('state')} = 'waiting' and ${at('take')} = 1`;
}

/** Rows that no lane holds and that have budget reserved: index `rows_reserved`. */
export function isReserved(rows: string): RawBuilder<boolean> {
  const at = columnsOf(rows);
  return sql<boolean>`${at('outcome')} is null and ${at('lane')} is null and ${at('state')} = 'waiting' and ${at('promised')} > 0`;
}

/** The take whose result a row has or works on, as computed by `presentTake` (`policy/rows/row-machine.ts`). */
export function presentTakeOf(rows: string): RawBuilder<number> {
  const at = columnsOf(rows);
  return sql<number>`coalesce(${at('returned_to')}, ${at('take')})`;
}

/** Results that other rows may use. Excludes those of takes that a person rejected by going back to an earlier take. */
export function isOffered(results: string): RawBuilder<boolean> {
  const at = columnsOf(results);
  return sql<boolean>`not exists (
    select 1 from rows as maker
    where maker.batch = ${at('batch')} and maker.row = ${at('row')} and maker.returned_to < ${at('take')}
  )`;
}

/** Parts of split rows: index `rows_part_of`. */
export function isPart(rows: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${rows}.part_of`)} is not null`;
}

/** Rows of the manifest, split or not, but no parts. */
export function isNoPart(rows: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${rows}.part_of`)} is null`;
}

/** Rows that have made a voice; `text` is its id. Index `rows_made_voices`. */
export function hasMadeVoice(rows: string): RawBuilder<boolean> {
  const at = columnsOf(rows);
  return sql<boolean>`${at('kind')} = 'voice' and ${at('outcome')} = 'succeeded'`;
}

/** States of an attempt that has or may have a result: all except refused and revoked ones. */
export const SENT: readonly AttemptState[] = [...ACCEPTED_STATES, 'cached', 'sending', 'unknown'];

/** Rows without an attempt in one of the {@link SENT} states: in any take, or in their current one. */
export function isUnsent(rows: string, when: 'ever' | 'in-this-take'): RawBuilder<boolean> {
  const at = columnsOf(rows);
  const ofTake = when === 'ever' ? sql`` : sql`and sent.take = ${at('take')}`;
  return sql<boolean>`not exists (
    select 1 from charges as sent
    where sent.batch = ${at('batch')} and sent.row = ${at('row')} ${ofTake} and sent.state in (${sql.join(SENT)})
  )`;
}

/**
 * Parts of a split row of which another part was sent, in any take: their reserved budget completes a row already
 * begun.
 */
export function hasSentSibling(rows: string): RawBuilder<boolean> {
  const at = columnsOf(rows);
  return sql<boolean>`exists (
    select 1 from rows as sibling
    join charges as sent on sent.batch = sibling.batch and sent.row = sibling.row and sent.state in (${sql.join(SENT)})
    where sibling.batch = ${at('batch')} and sibling.part_of is not null and sibling.part_of = ${at('part_of')} and sibling.row <> ${at('row')}
  )`;
}
