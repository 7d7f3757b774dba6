import { TABLES } from '../schema.ts';
import type { Table } from '../tables/columns.ts';

/** What the columns of the present layout hold, from the tables of whichever former one (`former`), in SQL. */

/** Tables whose lines triggers make anew. */
export const NOT_COPIED: readonly string[] = ['row_counts', 'sums'];

/** Words that the first versions had: the failure class `Rejected`, and the outcomes `rejected` and `refused`. */
const inNewWords = (json: string): string =>
  [
    ['"class":"Rejected"', '"class":"BadRequest"'],
    ['"outcome":"rejected"', '"outcome":"unfit"'],
    ['"outcome":"refused"', '"outcome":"skipped"'],
  ].reduce((words, [was, is]) => `replace(${words}, '${was ?? ''}', '${is ?? ''}')`, json);

/** Members of what a row asks for that have columns of their own. */
const OWN_COLUMNS = ['kind', 'dialect', 'voice', 'name', 'verify'];

const SPEECH = `case when exists (
    select 1 from former.rows as r join former.batches as b on b.name = r.batch
    where r.batch = charges.batch and r.row = charges.row and r.kind = 'tts'
      and (json_extract(b.settings, '$.tts') = 'sync' or json_extract(r.spec, '$.dialect') = 'legacy')
  ) then 'speech-sync' else 'speech-job' end`;
const OPERATION = `case when state in ('sending', 'unknown', 'accepted', 'done', 'cached') then case step
    when 'speech' then ${SPEECH} when 'verification' then 'transcription' when 'lip-sync' then 'lip-sync-job'
    when 'video-dubbing' then 'video-dubbing-job' else step end end`;
type Columns = Readonly<Record<string, string>>;

/** Columns that no former layout had, or that are written otherwise now. */
const NEW: Readonly<Record<string, Columns>> = {
  batches: {
    number: 'row_number() over (order by rowid)',
    budget: `json_extract(settings, '$.budget')`,
    pause_reason: inNewWords('pause_reason'),
  },
  rows: {
    loaded: '(select b.number from main.batches as b where b.name = rows.batch)',
    ...Object.fromEntries(OWN_COLUMNS.map((name) => [name, `json_extract(spec, '$.${name}')`])),
    spec: `json_remove(spec, ${OWN_COLUMNS.map((name) => `'$.${name}'`).join(', ')})`,
    outcome: `case outcome when 'rejected' then 'unfit' when 'refused' then 'skipped' else outcome end`,
    failure: inNewWords('failure'),
    failure_class: `json_extract(${inNewWords('failure')}, '$.class')`,
    failure_cause: `json_extract(failure, '$.cause')`,
  },
  charges: { failure: inNewWords('failure') },
  takes: { before: inNewWords('before') },
  charge_ratios: {
    price: `coalesce((select json_extract(b.settings, '$.prices."' || operation || '"') from former.batches as b where b.name = batch), 'null')`,
  },
};

/** The tables of a former ledger, with their columns. */
export type FormerTables = ReadonlyMap<string, readonly string[]>;

/** The columns of a table, each with what it holds, in SQL; undefined: the former ledger has nothing for it. */
export function columnsFrom(name: keyof typeof TABLES, former: FormerTables): Columns | undefined {
  const there = former.get(name);
  // Ratios of another kind are begun anew by the next request, and schedules whose settings lay in Temporal by whoever made them.
  const needed = { charge_ratios: 'size', schedules: 'run' }[name as string];
  if (there === undefined || (needed !== undefined && !there.includes(needed))) return undefined;
  const meant = { ...laterColumns(name, former), ...NEW[name] };
  const { columns }: Table = TABLES[name];
  return Object.fromEntries(
    Object.entries(columns).map(([column, { byDefault = null }]) => [
      column,
      meant[column] ?? (there.includes(column) ? JSON.stringify(column) : String(byDefault)),
    ]),
  );
}

/** What columns hold that not every former layout has, or had in this sense. */
function laterColumns(name: keyof typeof TABLES, former: FormerTables): Columns {
  const has = (table: string, column: string): boolean => former.get(table)?.includes(column) === true;
  switch (name) {
    case 'batches':
      return has(name, 'stem') ? {} : { stem: 'name' };
    case 'rows':
      return {
        // Before there were lanes, whoever had an open row has it no more.
        ...(has(name, 'lane') ? {} : { hold: `${has(name, 'hold') ? 'hold' : '0'} + (outcome is null)` }),
        // A row whose result was accepted in the middle of a chain pays only for what follows.
        ...(has(name, 'returned_to') || !has(name, 'accepted_take')
          ? {}
          : { redo_from: `case when accepted_take is not null and kind = 'dub' then 'lip-sync' else redo_from end` }),
      };
    case 'charges':
      return {
        operation: has(name, 'operation') ? `coalesce(operation, ${OPERATION})` : OPERATION,
        ...(has(name, 'from_take') ? {} : { from_take: fromTake(has('rows', 'accepted_take')) }),
        damaged: has(name, 'source') ? `coalesce(json_extract(source, '$.is') <> 'used', 0)` : '0',
      };
    default:
      return {};
  }
}

/** The take whose speech a request was made with: the accepted one, or the last until then. */
function fromTake(canBeAccepted: boolean): string {
  const accepted = `(select r.accepted_take from former.rows r
      where r.batch = charges.batch and r.row = charges.row and r.take = charges.take and charges.step = 'lip-sync')`;
  return `case when step in ('verification', 'lip-sync') then coalesce(${canBeAccepted ? accepted : 'null'},
    (select max(s.take) from former.charges s
      where s.batch = charges.batch and s.row = charges.row and s.step = 'speech' and s.take <= charges.take)) end`;
}
