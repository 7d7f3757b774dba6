import Database from 'libsql';
import { Kysely, SqliteDialect } from 'kysely';
import { renameSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchSettings } from '../../contract/batch.ts';
import { BUILT_IN_PRICES } from '../../contract/row-kinds.ts';
import { EARLIER_TUNABLES } from '../../contract/tunables.ts';
import { KernelLock } from '../../embedded/kernel-lock.ts';
import { applyTuning } from '../../policy/tuning.ts';
import { LedgerUnreachable } from '../errors.ts';
import { FORMER_VERSIONS, MIGRATION_TABLE } from '../migrate.ts';
import { TABLES } from '../schema.ts';
import { retryWhileBusy } from './dialect.ts';
import { explain } from './errors.ts';
import { besides } from './locks.ts';
import { createTables } from './schema.ts';
import { copyWhole, syncPath } from './whole-copy.ts';
import type { Table } from '../tables/columns.ts';

/*
 * Imports a ledger of any layout from before version 0.1 into the present layout. To be removed before version 1.0 of
 * voxbatch.
 *
 * First copies the former ledger to a file beside it, which stays. Then empties the ledger and fills it from that copy,
 * in one transaction: if the process is killed, the former ledger is unchanged, and the next process starts over.
 * Nobody else writes meanwhile, and no worker uses the ledger. A worker of an older version that opened it just before
 * cannot send anything, because the columns of an intent have changed.
 */

/** Max wait for the workers' lock, ms: a process that only checks it holds it for an instant. */
const PATIENCE_MS = 1_000;
/** Pause between two tries to take it, ms. */
const GAP_MS = 20;

/**
 * Imports the former ledger at `path`. Returns the path of its copy; undefined if another process has imported it
 * meanwhile. Throws {@link LedgerUnreachable}.
 */
export async function importFormer(path: string): Promise<string | undefined> {
  const database = new Database(path, { timeout: 0 });
  try {
    database.exec('pragma synchronous = full; pragma foreign_keys = off');
    await retryWhileBusy(() => {
      database.exec('begin immediate');
    });
    if (!isFormer(database)) return undefined;
    const lock = await keepWorkersOut(path);
    try {
      const kept = keepCopy(path);
      database.prepare('attach ? as former').run([kept]);
      await fill(database);
      database.exec('commit');
      return kept;
    } finally {
      lock.close();
    }
  } catch (error) {
    throw explain(path, error);
  } finally {
    if (database.inTransaction) database.exec('rollback');
    database.close();
  }
}

function isFormer(database: Database.Database): boolean {
  const find = database.prepare(`select 1 from ${MIGRATION_TABLE} where name = ?`);
  return FORMER_VERSIONS.some((name) => find.get([name]) !== undefined);
}

async function keepWorkersOut(path: string): Promise<KernelLock> {
  const lock = new KernelLock(besides(path, 'lock'));
  const givesUpAt = performance.now() + PATIENCE_MS;
  while (!lock.tryExclusive()) {
    if (performance.now() > givesUpAt) {
      lock.close();
      const advice = 'End them, then run the same command again.';
      throw new LedgerUnreachable(path, 'it is of an earlier version, and workers still have it', advice);
    }
    await sleep(GAP_MS);
  }
  return lock;
}

/** Copies the ledger to a file beside it, completely or not at all. Returns its path. Nobody may write meanwhile. */
function keepCopy(path: string): string {
  const kept = besides(path, 'former');
  const part = `${kept}.part`;
  copyWhole(path, part);
  renameSync(part, kept);
  syncPath(dirname(resolve(kept)));
  return kept;
}

/** Empties the database, and fills it from the attached copy. Triggers compute the counts and sums again. */
async function fill(database: Database.Database): Promise<void> {
  const parts = linesOf(
    database,
    `select type, name from main.sqlite_master where name not like 'sqlite_%' and name not like '${MIGRATION_TABLE}%'`,
  );
  for (const type of ['trigger', 'view', 'index', 'table'])
    for (const part of parts) if (part.type === type) database.exec(`drop ${type} main.${JSON.stringify(part.name)}`);
  await createTables(new Kysely<unknown>({ dialect: new SqliteDialect({ database }) }));
  const former = linesOf(
    database,
    `select m.name as name, c.name as column from former.sqlite_master as m join pragma_table_info(m.name, 'former') as c where m.type = 'table'`,
  );
  const has: Has = (table, name) => former.some((one) => one.name === table && (name ?? one.column) === one.column);
  const later = laterColumns(has);
  for (const [name, { columns }] of Object.entries<Table>(TABLES)) {
    if (!has(name) || NOT_COPIED.includes(name) || (NEEDED[name] !== undefined && !has(name, NEEDED[name]))) continue;
    const values = Object.entries(columns).map(([column, { byDefault = null }]) => {
      if (has(name, column)) return WRITTEN_ANEW[name]?.[column] ?? JSON.stringify(column);
      return later[name]?.[column] ?? String(byDefault);
    });
    const into = Object.keys(columns).map((column) => JSON.stringify(column));
    database.exec(
      `insert into main.${name} (${into.join(', ')}) select ${values.join(', ')} from former.${name} ${ONLY[name] ?? ''}`,
    );
  }
  completeSettings(database);
  // Layouts without `returned_to` left `redo_from` empty if a result was accepted in the middle of a chain.
  if (has('rows', 'accepted_take') && !has('rows', 'returned_to'))
    database.exec(`update main.rows set redo_from = 'lip-sync' where accepted_take is not null and kind = 'dub'`);
  // Layouts without lanes: voids the fencing tokens of open rows, whose holders are gone.
  if (!has('rows', 'lane')) database.exec('update main.rows set hold = hold + 1 where outcome is null');
  if (has('sqlite_sequence'))
    database.exec(`delete from main.sqlite_sequence;
      insert into main.sqlite_sequence select name, seq from former.sqlite_sequence where name = 'allowed_firings'`);
  database.exec(`delete from main.${MIGRATION_TABLE};
    insert into main.${MIGRATION_TABLE} select '0.1', min(timestamp) from former.${MIGRATION_TABLE}`);
}

/** A line of one of the queries, with those of these columns that it selects. */
type Line = Readonly<Record<'type' | 'name' | 'column' | 'settings', string>>;

function linesOf(database: Database.Database, query: string): readonly Line[] {
  return database.prepare(query).all([]) as Line[];
}

/**
 * Tables that are imported only if they have this column: the next request creates ratios of the present kind again,
 * and users create schedules again.
 */
const NEEDED: Readonly<Record<string, string>> = { charge_ratios: 'size', schedules: 'run' };

/** Conditions for the lines to import: a schedule whose settings are not in the ledger must be created again. */
const ONLY: Readonly<Record<string, string>> = {
  schedules:
    'where run is not null and spec is not null and api_url is not null and account is not null and settled_at is not null',
};

/** Tables whose lines triggers create again. */
const NOT_COPIED: readonly string[] = ['row_counts', 'sums'];

/** Members of a row's request that have their own columns. */
const OWN_COLUMNS = ['kind', 'dialect', 'voice', 'name', 'verify'];

/** The operation of a speech request: synchronous or a job. */
const SPEECH = `case when exists (
    select 1 from former.rows as r join former.batches as b on b.name = r.batch
    where r.batch = charges.batch and r.row = charges.row and r.kind = 'tts'
      and (json_extract(b.settings, '$.tts') = 'sync' or json_extract(r.spec, '$.dialect') = 'legacy')
  ) then 'speech-sync' else 'speech-job' end`;
/** The operation of a request, by its step. */
const OPERATION = `case when state in ('sending', 'unknown', 'accepted', 'done', 'cached') then case step
    when 'speech' then ${SPEECH} when 'verification' then 'transcription' when 'lip-sync' then 'lip-sync-job'
    when 'video-dubbing' then 'video-dubbing-job' else step end end`;

/** SQL for columns, by table and column. */
type Columns = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** SQL that replaces words of the first versions: failure class `Rejected`, outcomes `rejected` and `refused`. */
const inNewWords = (json: string): string =>
  [
    ['"class":"Rejected"', '"class":"BadRequest"'],
    ['"outcome":"rejected"', '"outcome":"unfit"'],
    ['"outcome":"refused"', '"outcome":"skipped"'],
  ].reduce((words, [was, is]) => `replace(${words}, '${was ?? ''}', '${is ?? ''}')`, json);

/** SQL for columns that a former layout has with other values. */
const WRITTEN_ANEW: Columns = {
  batches: { pause_reason: inNewWords('pause_reason') },
  rows: {
    outcome: `case outcome when 'rejected' then 'unfit' when 'refused' then 'skipped' else outcome end`,
    failure: inNewWords('failure'),
    spec: `json_remove(spec, ${OWN_COLUMNS.map((name) => `'$.${name}'`).join(', ')})`,
  },
  charges: { failure: inNewWords('failure'), operation: `coalesce(operation, ${OPERATION})` },
  takes: { before: inNewWords('before') },
};

/** Whether the former ledger has a table, or a column of it. */
type Has = (table: string, column?: string) => boolean;

/** SQL for columns that not every former layout has. */
const laterColumns = (has: Has): Columns => ({
  batches: { stem: 'name', number: 'row_number() over (order by rowid)', budget: `json_extract(settings, '$.budget')` },
  rows: {
    loaded: '(select b.number from main.batches as b where b.name = rows.batch)',
    ...Object.fromEntries(OWN_COLUMNS.map((name) => [name, `json_extract(spec, '$.${name}')`])),
    failure_class: `json_extract(${inNewWords('failure')}, '$.class')`,
    failure_cause: `json_extract(failure, '$.cause')`,
  },
  charges: {
    operation: OPERATION,
    // The take whose speech a request was made with: the accepted one, or the last until then.
    from_take: `case when step in ('verification', 'lip-sync') then coalesce(
      (select ${has('rows', 'accepted_take') ? 'r.accepted_take' : 'null'} from former.rows r
        where r.batch = charges.batch and r.row = charges.row and r.take = charges.take and charges.step = 'lip-sync'),
      (select max(s.take) from former.charges s
        where s.batch = charges.batch and s.row = charges.row and s.step = 'speech' and s.take <= charges.take)) end`,
    damaged: has('charges', 'source') ? `coalesce(json_extract(source, '$.is') <> 'used', 0)` : '0',
  },
  charge_ratios: {
    price: `coalesce((select json_extract(b.settings, '$.prices."' || operation || '"') from former.batches as b where b.name = batch), 'null')`,
  },
});

/** Adds settings that earlier versions did not have, with the values by which those versions worked. */
function completeSettings(database: Database.Database): void {
  const batches = linesOf(database, 'select name, settings from main.batches');
  const change = database.prepare('update main.batches set settings = ?, budget = ? where name = ?');
  for (const { name, settings: json } of batches) {
    const settings = JSON.parse(json) as BatchSettings;
    const prices = { ...BUILT_IN_PRICES, ...settings.prices };
    const whole: BatchSettings = { ...settings, prices, ...applyTuning(EARLIER_TUNABLES, settings) };
    change.run([JSON.stringify(whole), whole.budget, name]);
  }
}
