/**
 * What the database keeps with every change, in SQL that every database understands: a line's part in the counts and
 * sums of its batch. Triggers of each kind of database add and subtract it.
 */

/** The line of a changed table before or after the change. */
export type Line = 'old' | 'new';

export const one = (condition: string): string => `case when ${condition} then 1 else 0 end`;
const quoteIf = (line: Line, condition: string): string =>
  `case when ${condition} then coalesce(${line}.quoted, 0) else 0 end`;
const isRunning = (c: Line): string => `${c}.state = 'accepted' and ${c}.finished_at is null`;

/** What a charge adds to each column of `sums`. */
export const OF_CHARGES: Readonly<Record<string, (charge: Line) => string>> = {
  charged: (c) => `coalesce(${c}.charged, 0)`,
  sending: (c) => one(`${c}.state = 'sending'`),
  sending_quoted: (c) => quoteIf(c, `${c}.state = 'sending'`),
  unknown: (c) => one(`${c}.state = 'unknown'`),
  unknown_quoted: (c) => quoteIf(c, `${c}.state = 'unknown'`),
  running: (c) => one(isRunning(c)),
  by_quote: (c) => one(`${c}.state in ('accepted', 'done') and coalesce(${c}.charged_from, '') <> 'api'`),
  saved: (c) => quoteIf(c, `${c}.state = 'cached'`),
  damaged: (c) => `${c}.damaged`,
  unbilled: (c) =>
    `case when ${isRunning(c)} and ${c}.file is null and ${c}.charged_from = 'api' and coalesce(${c}.quoted, 0) > coalesce(${c}.charged, 0)
       then ${c}.quoted - coalesce(${c}.charged, 0) else 0 end`,
};

/** A row's contribution to `sums`: its reserved budget. */
export const OF_ROWS: Readonly<Record<string, (row: Line) => string>> = {
  promised: (r) => `case when ${r}.outcome is null then ${r}.promised else 0 end`,
};

/** What a row counts as. */
export const standing = (row: Line): string =>
  `${row}.batch, coalesce(${row}.outcome, ${row}.state), coalesce(${row}.failure_class, ''), coalesce(${row}.failure_cause, '')`;
/** 1 if the row ended since its batch was last opened again. */
export const isRecent = (row: Line): string =>
  one(
    `${row}.outcome is not null and ${row}.ended_at >= coalesce((select reopened_at from batches where name = ${row}.batch), 0)`,
  );
export const IS_TOLD = `new.charged_from = 'api' and new.charged > 0`;
/** A job that is read again has already ended and reported its price. */
export const HAS_ENDED = `new.finished_at is not null and old.finished_at is null and old.file is null`;
