import { sizeInSql } from '../money/charge-ratios.ts';

/*
 * What each line contributes to the counts and sums of its batch, in SQL that every database understands. The triggers
 * of each kind of database (`sqlite/triggers.ts`, `postgres/triggers.ts`) add the parts of new lines and subtract those
 * of old ones.
 */

/** The name of a changed line in a trigger: before (`old`) or after (`new`) the change. */
export type Line = 'old' | 'new';

/** SQL for 1 if a condition holds, else 0. */
const one = (condition: string): string => `case when ${condition} then 1 else 0 end`;
/** SQL for the quote of a charge if a condition holds, else 0. */
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

/** The line of `row_counts` in which a row counts: SQL for each column of its key. */
export const OF_STANDING: Readonly<Record<'batch' | 'standing' | 'class' | 'cause', (row: Line) => string>> = {
  batch: (r) => `${r}.batch`,
  standing: (r) => `coalesce(${r}.outcome, ${r}.state)`,
  class: (r) => `coalesce(${r}.failure_class, '')`,
  cause: (r) => `coalesce(${r}.failure_cause, '')`,
};
/** The same as a list of expressions. */
export const standing = (row: Line): string =>
  Object.values(OF_STANDING)
    .map((part) => part(row))
    .join(', ');
/** SQL for 1 if the row ended since its batch was last reopened, else 0. */
export const isRecent = (row: Line): string =>
  one(
    `${row}.outcome is not null and ${row}.ended_at >= coalesce((select reopened_at from batches where name = ${row}.batch), 0)`,
  );
/** The API has reported a charge. */
const IS_TOLD = `new.charged_from = 'api' and new.charged > 0`;
/** The job ends with this change. A job with a file is only read again: it has ended before. */
const HAS_ENDED = `new.finished_at is not null and old.finished_at is null and old.file is null`;

/**
 * Returns the statement that updates the sums of a batch by the parts of these lines. `round`: SQL that rounds to six
 * decimals, as many as credits have, so that adding and subtracting leaves no floating-point errors.
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

/**
 * Counts a new line as the first of its status and reason. The trigger appends how the count changes if it is not the
 * first.
 */
export const COUNT = `insert into row_counts (batch, standing, class, cause, n, recent) values (${standing('new')}, 1, ${isRecent('new')})
  on conflict (batch, standing, class, cause) do update set`;
/** Removes an old line from the count. */
export const UNCOUNT = `update row_counts set n = n - 1, recent = recent - (${isRecent('old')})
  where (batch, standing, class, cause) = (${standing('old')});`;

/** Counts again which rows ended since their batch was reopened. */
export const RECOUNT = `update row_counts set recent = (
       select count(*) from rows
       where rows.batch = new.name and rows.part_of is null and rows.ended_at >= coalesce(new.reopened_at, 0)
         and (rows.outcome, coalesce(rows.failure_class, ''), coalesce(rows.failure_cause, '')) = (standing, class, cause))
     where batch = new.name;`;

/** Condition for comparing a charge with its quote: accepted, and its job has ended or the API has named the charge. */
export const IS_COMPARED = `new.state in ('accepted', 'done') and (new.finished_at is not null or new.charged_from = 'api')`;

/** What a charge contributes to the line of its operation and size in `charge_ratios`: SQL for each column. */
export const RATIO = {
  size: sizeInSql('new.quoted'),
  worst: `case when ${IS_TOLD} and new.quoted > 0 then new.charged / new.quoted else 0 end`,
  unquoted: `case when ${IS_TOLD} and coalesce(new.quoted, 0) <= 0 then new.charged else 0 end`,
  told: one(`${HAS_ENDED} and ${IS_TOLD}`),
  ended: one(HAS_ENDED),
} as const;

/**
 * Compares a charge with its quote. The trigger appends how an existing line changes. No effect on an operation without
 * its line of size 0, which `intend` adds with the first request under a budget.
 */
export const COMPARE = `insert into charge_ratios (batch, operation, size, step, price, worst, unquoted, told, ended)
     select new.batch, new.operation, ${RATIO.size}, new.step, price, ${RATIO.worst}, ${RATIO.unquoted}, ${RATIO.told}, ${RATIO.ended}
     from charge_ratios where batch = new.batch and operation = new.operation and size = 0
     on conflict (batch, operation, size) do update set`;
