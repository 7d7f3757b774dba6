import {
  changeSums,
  COMPARE,
  COUNT,
  IS_COMPARED,
  OF_CHARGES,
  OF_ROWS,
  RECOUNT,
  standing,
  UNCOUNT,
} from '../tables/kept-sums.ts';

/*
 * SQLite's triggers, which update a batch's counts and sums with every change, so that reading them costs the same at
 * any size. Because the database does it, no statement can skip them, not even one that ends thousands of rows.
 */

const round = (sum: string): string => `round(${sum}, 6)`;

const COUNT_NEW = `${COUNT} n = n + 1, recent = recent + excluded.recent;`;

/** Statements that create the triggers. */
export const TRIGGERS: readonly string[] = [
  `create trigger batches_added after insert on batches begin
     insert into sums (batch) values (new.name);
   end`,
  `create trigger batches_removed after delete on batches begin
     delete from sums where batch = old.name;
     delete from row_counts where batch = old.name;
   end`,
  `create trigger batches_reopened after update of reopened_at on batches begin
     ${RECOUNT}
   end`,

  `create trigger rows_added after insert on rows when new.part_of is null begin ${COUNT_NEW} end`,
  `create trigger rows_removed after delete on rows when old.part_of is null begin ${UNCOUNT} end`,
  `create trigger rows_changed after update of state, outcome, failure_class, failure_cause, ended_at on rows
   when new.part_of is null and (${standing('old')}, old.ended_at) is not (${standing('new')}, new.ended_at)
   begin ${UNCOUNT} ${COUNT_NEW} end`,
  `create trigger rows_promising after insert on rows when new.promised <> 0 begin ${changeSums(OF_ROWS, ['new'], round)} end`,
  `create trigger rows_promised after update of promised, outcome on rows when old.promised <> 0 or new.promised <> 0
   begin ${changeSums(OF_ROWS, ['old', 'new'], round)} end`,

  `create trigger charges_added after insert on charges begin ${changeSums(OF_CHARGES, ['new'], round)} end`,
  `create trigger charges_removed after delete on charges begin ${changeSums(OF_CHARGES, ['old'], round)} end`,
  `create trigger charges_changed after update of state, quoted, charged, charged_from, finished_at, file, damaged on charges
   begin ${changeSums(OF_CHARGES, ['old', 'new'], round)} end`,

  `create trigger charges_ratio after update of state, charged, charged_from, finished_at on charges
   when ${IS_COMPARED}
   begin
     ${COMPARE}
       worst = max(worst, excluded.worst),
       unquoted = max(unquoted, excluded.unquoted),
       told = told + excluded.told,
       ended = ended + excluded.ended;
   end`,
];
