import { sizeInSql } from '../money/charge-ratios.ts';

/**
 * Triggers update a batch's counts and sums with every change instead of recomputing them, so reading them costs the
 * same at any size. Because the database does it, no statement can skip them, not even one that ends thousands of rows.
 * The triggers only count and add.
 */

type Line = 'old' | 'new';

const one = (condition: string): string => `case when ${condition} then 1 else 0 end`;
const quoteIf = (line: Line, condition: string): string =>
  `case when ${condition} then coalesce(${line}.quoted, 0) else 0 end`;
const isRunning = (c: Line): string => `${c}.state = 'accepted' and ${c}.finished_at is null`;

/** What a charge adds to each column of `sums`. */
const OF_CHARGES: Readonly<Record<string, (charge: Line) => string>> = {
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
const OF_ROWS: Readonly<Record<string, (row: Line) => string>> = {
  promised: (r) => `case when ${r}.outcome is null then ${r}.promised else 0 end`,
};

/** Credits have at most six decimals; without rounding, adding and subtracting would leave floating-point dust. */
function changeSums(parts: Readonly<Record<string, (line: Line) => string>>, lines: readonly Line[]): string {
  const by = (part: (line: Line) => string): string =>
    lines.map((line) => `${line === 'new' ? '+' : '-'} (${part(line)})`).join(' ');
  const columns = Object.entries(parts).map(([column, part]) => `${column} = round(${column} ${by(part)}, 6)`);
  return `update sums set ${columns.join(', ')} where batch = ${lines.at(-1) ?? 'new'}.batch;`;
}

/** What a row counts as. */
const standing = (row: Line): string =>
  `${row}.batch, coalesce(${row}.outcome, ${row}.state), coalesce(${row}.failure_class, ''), coalesce(${row}.failure_cause, '')`;
/** 1 if the row ended since its batch was last opened again. */
const isRecent = (row: Line): string =>
  one(
    `${row}.outcome is not null and ${row}.ended_at >= coalesce((select reopened_at from batches where name = ${row}.batch), 0)`,
  );
const COUNT = `insert into row_counts (batch, standing, class, cause, n, recent) values (${standing('new')}, 1, ${isRecent('new')})
  on conflict (batch, standing, class, cause) do update set n = n + 1, recent = recent + excluded.recent;`;
const UNCOUNT = `update row_counts set n = n - 1, recent = recent - (${isRecent('old')})
  where (batch, standing, class, cause) = (${standing('old')});`;

const IS_TOLD = `new.charged_from = 'api' and new.charged > 0`;
/** A job that is read again has already ended and reported its price. */
const HAS_ENDED = `new.finished_at is not null and old.finished_at is null and old.file is null`;

export const TRIGGERS: readonly string[] = [
  `create trigger batches_added after insert on batches begin
     insert into sums (batch) values (new.name);
   end`,
  `create trigger batches_removed after delete on batches begin
     delete from sums where batch = old.name;
     delete from row_counts where batch = old.name;
   end`,
  `create trigger batches_reopened after update of reopened_at on batches begin
     update row_counts set recent = (
       select count(*) from rows
       where rows.batch = new.name and rows.part_of is null and rows.ended_at >= coalesce(new.reopened_at, 0)
         and (rows.outcome, coalesce(rows.failure_class, ''), coalesce(rows.failure_cause, '')) = (standing, class, cause))
     where batch = new.name;
   end`,

  `create trigger rows_added after insert on rows when new.part_of is null begin ${COUNT} end`,
  `create trigger rows_removed after delete on rows when old.part_of is null begin ${UNCOUNT} end`,
  `create trigger rows_changed after update of state, outcome, failure_class, failure_cause, ended_at on rows
   when new.part_of is null and (${standing('old')}, old.ended_at) is not (${standing('new')}, new.ended_at)
   begin ${UNCOUNT} ${COUNT} end`,
  `create trigger rows_promising after insert on rows when new.promised <> 0 begin ${changeSums(OF_ROWS, ['new'])} end`,
  `create trigger rows_promised after update of promised, outcome on rows when old.promised <> 0 or new.promised <> 0
   begin ${changeSums(OF_ROWS, ['old', 'new'])} end`,

  `create trigger charges_added after insert on charges begin ${changeSums(OF_CHARGES, ['new'])} end`,
  `create trigger charges_removed after delete on charges begin ${changeSums(OF_CHARGES, ['old'])} end`,
  `create trigger charges_changed after update of state, quoted, charged, charged_from, finished_at, file, damaged on charges
   begin ${changeSums(OF_CHARGES, ['old', 'new'])} end`,

  // `intend` adds an operation's line with its first request under a budget. Without a budget there is no line, and
  // nothing to do.
  `create trigger charges_ratio after update of state, charged, charged_from, finished_at on charges
   when new.state in ('accepted', 'done') and (new.finished_at is not null or new.charged_from = 'api')
   begin
     insert into charge_ratios (batch, operation, size, step, price, worst, unquoted, told, ended)
     select new.batch, new.operation, ${sizeInSql('new.quoted')}, new.step, price,
       case when ${IS_TOLD} and new.quoted > 0 then new.charged / new.quoted else 0 end,
       case when ${IS_TOLD} and coalesce(new.quoted, 0) <= 0 then new.charged else 0 end,
       ${one(`${HAS_ENDED} and ${IS_TOLD}`)}, ${one(HAS_ENDED)}
     from charge_ratios where batch = new.batch and operation = new.operation and size = 0
     on conflict (batch, operation, size) do update set
       worst = max(worst, excluded.worst),
       unquoted = max(unquoted, excluded.unquoted),
       told = told + excluded.told,
       ended = ended + excluded.ended;
   end`,
];
