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

/**
 * The triggers of `ledger/sqlite/triggers.ts` in PostgreSQL's language: they keep the same counts and sums, from the
 * same parts.
 */

/** PostgreSQL rounds to decimals only as numeric. */
const round = (sum: string): string => `round((${sum})::numeric, 6)::double precision`;

const COUNT_NEW = `${COUNT} n = row_counts.n + 1, recent = row_counts.recent + excluded.recent;`;

/** A trigger that runs once for each changed line. */
interface RowTrigger {
  readonly name: string;
  /** `after …` */
  readonly when: string;
  readonly on: string;
  /** Condition; default: always. */
  readonly if?: string;
  readonly body: string;
}

const ROW_TRIGGERS: readonly RowTrigger[] = [
  { name: 'batches_added', when: 'insert', on: 'batches', body: 'insert into sums (batch) values (new.name);' },
  {
    name: 'batches_removed',
    when: 'delete',
    on: 'batches',
    body: 'delete from sums where batch = old.name; delete from row_counts where batch = old.name;',
  },
  {
    name: 'batches_reopened',
    when: 'update of reopened_at',
    on: 'batches',
    body: RECOUNT,
  },
  { name: 'rows_added', when: 'insert', on: 'rows', if: 'new.part_of is null', body: COUNT_NEW },
  { name: 'rows_removed', when: 'delete', on: 'rows', if: 'old.part_of is null', body: UNCOUNT },
  {
    name: 'rows_changed',
    when: 'update of state, outcome, failure_class, failure_cause, ended_at',
    on: 'rows',
    if: `new.part_of is null and (${standing('old')}, old.ended_at) is distinct from (${standing('new')}, new.ended_at)`,
    body: UNCOUNT + COUNT_NEW,
  },
  {
    name: 'rows_promising',
    when: 'insert',
    on: 'rows',
    if: 'new.promised <> 0',
    body: changeSums(OF_ROWS, ['new'], round),
  },
  {
    name: 'rows_promised',
    when: 'update of promised, outcome',
    on: 'rows',
    if: 'old.promised <> 0 or new.promised <> 0',
    body: changeSums(OF_ROWS, ['old', 'new'], round),
  },
  { name: 'charges_added', when: 'insert', on: 'charges', body: changeSums(OF_CHARGES, ['new'], round) },
  { name: 'charges_removed', when: 'delete', on: 'charges', body: changeSums(OF_CHARGES, ['old'], round) },
  {
    name: 'charges_changed',
    when: 'update of state, quoted, charged, charged_from, finished_at, file, damaged',
    on: 'charges',
    body: changeSums(OF_CHARGES, ['old', 'new'], round),
  },
  {
    name: 'charges_ratio',
    when: 'update of state, charged, charged_from, finished_at',
    on: 'charges',
    if: IS_COMPARED,
    body: `${COMPARE}
       worst = greatest(charge_ratios.worst, excluded.worst),
       unquoted = greatest(charge_ratios.unquoted, excluded.unquoted),
       told = charge_ratios.told + excluded.told,
       ended = charge_ratios.ended + excluded.ended;`,
  },
];

/** What makes them. */
export const TRIGGERS: readonly string[] = ROW_TRIGGERS.flatMap(({ name, when, on, body, ...given }) => [
  `create function ${name}() returns trigger language plpgsql as $body$ begin ${body} return null; end $body$`,
  `create trigger ${name} after ${when} on ${on} for each row ${given.if === undefined ? '' : `when (${given.if})`}
   execute function ${name}()`,
]);
