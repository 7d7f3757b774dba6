import { sizeInSql } from '../money/charge-ratios.ts';
import { HAS_ENDED, IS_TOLD, isRecent, OF_CHARGES, OF_ROWS, one, standing, type Line } from '../tables/kept-sums.ts';

/**
 * Triggers update a batch's counts and sums with every change instead of recomputing them, so reading them costs the
 * same at any size. Because the database does it, no statement can skip them, not even one that ends thousands of rows.
 * The triggers only count and add.
 */

/** Credits have at most six decimals; without rounding, adding and subtracting would leave floating-point dust. */
function changeSums(parts: Readonly<Record<string, (line: Line) => string>>, lines: readonly Line[]): string {
  const by = (part: (line: Line) => string): string =>
    lines.map((line) => `${line === 'new' ? '+' : '-'} (${part(line)})`).join(' ');
  const columns = Object.entries(parts).map(([column, part]) => `${column} = round(${column} ${by(part)}, 6)`);
  return `update sums set ${columns.join(', ')} where batch = ${lines.at(-1) ?? 'new'}.batch;`;
}

const COUNT = `insert into row_counts (batch, standing, class, cause, n, recent) values (${standing('new')}, 1, ${isRecent('new')})
  on conflict (batch, standing, class, cause) do update set n = n + 1, recent = recent + excluded.recent;`;
const UNCOUNT = `update row_counts set n = n - 1, recent = recent - (${isRecent('old')})
  where (batch, standing, class, cause) = (${standing('old')});`;

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
