import { sizeInSql } from '../money/charge-ratios.ts';
import { HAS_ENDED, IS_TOLD, isRecent, OF_CHARGES, OF_ROWS, one, standing, type Line } from '../tables/kept-sums.ts';

/**
 * The triggers of `ledger/sqlite/triggers.ts` in PostgreSQL's language: they keep the same counts and sums, from the
 * same parts.
 */

/** Credits have at most six decimals; PostgreSQL rounds to decimals only as numeric. */
function changeSums(parts: Readonly<Record<string, (line: Line) => string>>, lines: readonly Line[]): string {
  const by = (part: (line: Line) => string): string =>
    lines.map((line) => `${line === 'new' ? '+' : '-'} (${part(line)})`).join(' ');
  const columns = Object.entries(parts).map(
    ([column, part]) => `${column} = round((${column} ${by(part)})::numeric, 6)::double precision`,
  );
  return `update sums set ${columns.join(', ')} where batch = ${lines.at(-1) ?? 'new'}.batch;`;
}

const COUNT = `insert into row_counts (batch, standing, class, cause, n, recent) values (${standing('new')}, 1, ${isRecent('new')})
  on conflict (batch, standing, class, cause) do update set n = row_counts.n + 1, recent = row_counts.recent + excluded.recent;`;
const UNCOUNT = `update row_counts set n = n - 1, recent = recent - (${isRecent('old')})
  where (batch, standing, class, cause) = (${standing('old')});`;

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
    body: `update row_counts set recent = (
       select count(*) from rows
       where rows.batch = new.name and rows.part_of is null and rows.ended_at >= coalesce(new.reopened_at, 0)
         and (rows.outcome, coalesce(rows.failure_class, ''), coalesce(rows.failure_cause, '')) = (standing, class, cause))
     where batch = new.name;`,
  },
  { name: 'rows_added', when: 'insert', on: 'rows', if: 'new.part_of is null', body: COUNT },
  { name: 'rows_removed', when: 'delete', on: 'rows', if: 'old.part_of is null', body: UNCOUNT },
  {
    name: 'rows_changed',
    when: 'update of state, outcome, failure_class, failure_cause, ended_at',
    on: 'rows',
    if: `new.part_of is null and (${standing('old')}, old.ended_at) is distinct from (${standing('new')}, new.ended_at)`,
    body: UNCOUNT + COUNT,
  },
  {
    name: 'rows_promising',
    when: 'insert',
    on: 'rows',
    if: 'new.promised <> 0',
    body: changeSums(OF_ROWS, ['new']),
  },
  {
    name: 'rows_promised',
    when: 'update of promised, outcome',
    on: 'rows',
    if: 'old.promised <> 0 or new.promised <> 0',
    body: changeSums(OF_ROWS, ['old', 'new']),
  },
  { name: 'charges_added', when: 'insert', on: 'charges', body: changeSums(OF_CHARGES, ['new']) },
  { name: 'charges_removed', when: 'delete', on: 'charges', body: changeSums(OF_CHARGES, ['old']) },
  {
    name: 'charges_changed',
    when: 'update of state, quoted, charged, charged_from, finished_at, file, damaged',
    on: 'charges',
    body: changeSums(OF_CHARGES, ['old', 'new']),
  },
  {
    name: 'charges_ratio',
    when: 'update of state, charged, charged_from, finished_at',
    on: 'charges',
    if: `new.state in ('accepted', 'done') and (new.finished_at is not null or new.charged_from = 'api')`,
    body: `insert into charge_ratios (batch, operation, size, step, price, worst, unquoted, told, ended)
     select new.batch, new.operation, ${sizeInSql('new.quoted')}, new.step, price,
       case when ${IS_TOLD} and new.quoted > 0 then new.charged / new.quoted else 0 end,
       case when ${IS_TOLD} and coalesce(new.quoted, 0) <= 0 then new.charged else 0 end,
       ${one(`${HAS_ENDED} and ${IS_TOLD}`)}, ${one(HAS_ENDED)}
     from charge_ratios where batch = new.batch and operation = new.operation and size = 0
     on conflict (batch, operation, size) do update set
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
