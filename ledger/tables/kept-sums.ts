import { sizeInSql } from '../money/charge-ratios.ts';

/**
 * What the database keeps with every change, in SQL that every database understands: a line's part in the counts and
 * sums of its batch. Triggers of each kind of database add and subtract it.
 */

/** The line of a changed table before or after the change. */
export type Line = 'old' | 'new';

const one = (condition: string): string => `case when ${condition} then 1 else 0 end`;
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

/** What a row counts as: the key of `row_counts`. */
export const OF_STANDING: Readonly<Record<'batch' | 'standing' | 'class' | 'cause', (row: Line) => string>> = {
  batch: (r) => `${r}.batch`,
  standing: (r) => `coalesce(${r}.outcome, ${r}.state)`,
  class: (r) => `coalesce(${r}.failure_class, '')`,
  cause: (r) => `coalesce(${r}.failure_cause, '')`,
};
export const standing = (row: Line): string =>
  Object.values(OF_STANDING)
    .map((part) => part(row))
    .join(', ');
/** 1 if the row ended since its batch was last opened again. */
export const isRecent = (row: Line): string =>
  one(
    `${row}.outcome is not null and ${row}.ended_at >= coalesce((select reopened_at from batches where name = ${row}.batch), 0)`,
  );
const IS_TOLD = `new.charged_from = 'api' and new.charged > 0`;
/** A job that is read again has already ended and reported its price. */
const HAS_ENDED = `new.finished_at is not null and old.finished_at is null and old.file is null`;

/**
 * Changes the sums of a batch by what these lines add or take away. `round` rounds to six decimals, as many as credits
 * have: without it, adding and subtracting would leave floating-point dust.
 */
export function changeSums(
  parts: Readonly<Record<string, (line: Line) => string>>,
  lines: readonly Line[],
  round: (sum: string) => string,
): string {
  const changes = (part: (line: Line) => string): string =>
    lines.map((line) => `${line === 'new' ? '+' : '-'} (${part(line)})`).join(' ');
  const columns = Object.entries(parts).map(([column, part]) => `${column} = ${round(`${column} ${changes(part)}`)}`);
  return `update sums set ${columns.join(', ')} where batch = ${lines.at(-1) ?? 'new'}.batch;`;
}

/** Counts the new line as the first of its standing; each database has its own words for one that is not the first. */
export const COUNT = `insert into row_counts (batch, standing, class, cause, n, recent) values (${standing('new')}, 1, ${isRecent('new')})
  on conflict (batch, standing, class, cause) do update set`;
export const UNCOUNT = `update row_counts set n = n - 1, recent = recent - (${isRecent('old')})
  where (batch, standing, class, cause) = (${standing('old')});`;

/** Counts anew which rows ended since their batch was opened again. */
export const RECOUNT = `update row_counts set recent = (
       select count(*) from rows
       where rows.batch = new.name and rows.part_of is null and rows.ended_at >= coalesce(new.reopened_at, 0)
         and (rows.outcome, coalesce(rows.failure_class, ''), coalesce(rows.failure_cause, '')) = (standing, class, cause))
     where batch = new.name;`;

/** When a charge is compared with its quote. */
export const IS_COMPARED = `new.state in ('accepted', 'done') and (new.finished_at is not null or new.charged_from = 'api')`;

/** What a charge adds to the line of `charge_ratios` of its size. */
export const RATIO = {
  size: sizeInSql('new.quoted'),
  worst: `case when ${IS_TOLD} and new.quoted > 0 then new.charged / new.quoted else 0 end`,
  unquoted: `case when ${IS_TOLD} and coalesce(new.quoted, 0) <= 0 then new.charged else 0 end`,
  told: one(`${HAS_ENDED} and ${IS_TOLD}`),
  ended: one(HAS_ENDED),
} as const;

/**
 * Compares a charge with its quote. `intend` adds an operation's line with its first request under a budget. Without a
 * budget there is no line, and nothing to do.
 */
export const COMPARE = `insert into charge_ratios (batch, operation, size, step, price, worst, unquoted, told, ended)
     select new.batch, new.operation, ${RATIO.size}, new.step, price, ${RATIO.worst}, ${RATIO.unquoted}, ${RATIO.told}, ${RATIO.ended}
     from charge_ratios where batch = new.batch and operation = new.operation and size = 0
     on conflict (batch, operation, size) do update set`;
