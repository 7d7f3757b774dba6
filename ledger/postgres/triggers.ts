import {
  IS_COMPARED,
  isRecent,
  OF_CHARGES,
  OF_ROWS,
  OF_STANDING,
  RATIO,
  RECOUNT,
  type Line,
} from '../tables/kept-sums.ts';

/*
 * PostgreSQL's form of the triggers in `ledger/sqlite/triggers.ts`: they maintain the same counts and sums, from the
 * same SQL parts (`tables/kept-sums.ts`). Those of rows and charges run once per statement, with all lines that it has
 * changed, so that a group of writes updates the sums of its batch once instead of once per line.
 */

type Event = 'insert' | 'update' | 'delete';

/** The lines that each kind of statement adds (`new`) and takes away (`old`): the names used in the SQL parts. */
const LINES: Readonly<Record<Event, readonly Line[]>> = {
  insert: ['new'],
  delete: ['old'],
  update: ['new', 'old'],
};
const SUFFIXES: Readonly<Record<Event, string>> = { insert: 'added', delete: 'removed', update: 'changed' };
const REFERENCING: Readonly<Record<Line, string>> = { new: 'new table as new_lines', old: 'old table as old_lines' };

type Parts = Readonly<Record<string, (line: Line) => string>>;

/** Selects the contribution of each changed line: positive for new lines, negative for old ones. */
function changesOf(event: Event, keys: Parts, parts: Parts, where = 'true'): string {
  return LINES[event]
    .map((line) => {
      const columns = [
        ...Object.entries(keys).map(([name, part]) => `${part(line)} as ${name}`),
        ...Object.entries(parts).map(([name, part]) => `${line === 'new' ? '' : '-'}(${part(line)}) as ${name}`),
      ];
      return `select ${columns.join(', ')} from ${line}_lines as ${line} where ${where.replaceAll('line.', `${line}.`)}`;
    })
    .join(' union all ');
}

/**
 * Rounds to six decimals, as many as credits have, and a half to the even number, as `roundedSum` does. As a numeric, a
 * double would have 15 digits, too few for the decimals of a billion. `+ 0`: no sum is -0.
 */
const rounded = (sum: string): string => `round((${sum}) * 1e6::double precision) / 1e6::double precision + 0`;

/** Updates the sums of each batch by the contributions of the changed lines. */
function changeSums(event: Event, parts: Parts): string {
  const names = Object.keys(parts);
  const columns = names.map((name) => `${name} = ${rounded(`sums.${name} + d.${name}`)}`);
  const totals = names.map((name) => `sum(${name}) as ${name}`);
  return `update sums set ${columns.join(', ')}
    from (select batch, ${totals.join(', ')} from (${changesOf(event, { batch: (line) => `${line}.batch` }, parts)}) as one
      group by batch) as d
    where sums.batch = d.batch and (${names.map((name) => `d.${name} <> 0`).join(' or ')});`;
}

/** Updates the counts of rows by status and reason. */
function changeCounts(event: Event): string {
  const keys = Object.keys(OF_STANDING).join(', ');
  return `insert into row_counts (${keys}, n, recent)
    select ${keys}, sum(n), sum(recent)
    from (${changesOf(event, OF_STANDING, { n: () => '1', recent: isRecent }, 'line.part_of is null')}) as one
    group by ${keys} having sum(n) <> 0 or sum(recent) <> 0
    on conflict (${keys}) do update set n = row_counts.n + excluded.n, recent = row_counts.recent + excluded.recent;`;
}

/** Updates the ratios of charges to quotes, per operation and size. */
const CHANGE_RATIOS = `insert into charge_ratios (batch, operation, size, step, price, worst, unquoted, told, ended)
  select new.batch, new.operation, ${RATIO.size}, min(new.step), ratio.price,
    max(${RATIO.worst}), max(${RATIO.unquoted}), sum(${RATIO.told}), sum(${RATIO.ended})
  from new_lines as new
  join old_lines as old using (batch, "row", step, take, attempt)
  join charge_ratios as ratio on ratio.batch = new.batch and ratio.operation = new.operation and ratio.size = 0
  where ${IS_COMPARED}
  group by new.batch, new.operation, ${RATIO.size}, ratio.price
  on conflict (batch, operation, size) do update set
    worst = greatest(charge_ratios.worst, excluded.worst),
    unquoted = greatest(charge_ratios.unquoted, excluded.unquoted),
    told = charge_ratios.told + excluded.told,
    ended = charge_ratios.ended + excluded.ended;`;

interface Trigger {
  readonly name: string;
  readonly on: string;
  /** `after …` */
  readonly when: string;
  /** `for each …`, with the names of the transition tables. */
  readonly each: string;
  readonly body: string;
}

const ofStatements = (table: string, bodyOf: (event: Event) => string): readonly Trigger[] =>
  (Object.keys(LINES) as readonly Event[]).map((event) => ({
    name: `${table}_${SUFFIXES[event]}`,
    on: table,
    when: event,
    each: `referencing ${LINES[event].map((line) => REFERENCING[line]).join(' ')} for each statement`,
    body: bodyOf(event),
  }));

const TRIGGERS: readonly Trigger[] = [
  ...[
    { name: 'batches_added', when: 'insert', body: 'insert into sums (batch) values (new.name);' },
    {
      name: 'batches_removed',
      when: 'delete',
      body: 'delete from sums where batch = old.name; delete from row_counts where batch = old.name;',
    },
    { name: 'batches_reopened', when: 'update of reopened_at', body: RECOUNT },
  ].map((trigger) => ({ ...trigger, on: 'batches', each: 'for each row' })),
  ...ofStatements('rows', (event) => changeCounts(event) + changeSums(event, OF_ROWS)),
  ...ofStatements('charges', (event) => changeSums(event, OF_CHARGES) + (event === 'update' ? CHANGE_RATIOS : '')),
];

/** Triggers of earlier versions whose names are no longer used. */
const FORMER = ['rows_promising', 'rows_promised', 'charges_ratio'];

/** Statements that create the triggers in place of those of earlier versions. */
export const MAKE_TRIGGERS: readonly string[] = [
  ...[...TRIGGERS.map(({ name }) => name), ...FORMER].map((name) => `drop function if exists ${name}() cascade`),
  ...TRIGGERS.flatMap(({ name, on, when, each, body }) => [
    // `new` and `old` are also PL/pgSQL's own variables: names mean columns.
    `create function ${name}() returns trigger language plpgsql as
     $body$ #variable_conflict use_column begin ${body} return null; end $body$`,
    `create trigger ${name} after ${when} on ${on} ${each} execute function ${name}()`,
  ]),
];
