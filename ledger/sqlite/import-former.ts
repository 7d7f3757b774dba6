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
import { patiently } from './dialect.ts';
import { explain } from './errors.ts';
import { besides } from './locks.ts';
import { createTables } from './schema.ts';
import { copyWhole, syncPath } from './whole-copy.ts';
import type { Table } from '../tables/columns.ts';

/**
 * Reads a ledger of a layout from before 0.1, whichever, into the present one. To be removed before version 1.0 of
 * voxbatch.
 *
 * The former ledger is copied beside the file first, and stays there. The file itself is emptied, and filled from that
 * copy, in one transaction: a process that is killed leaves the former ledger, and the next one begins anew. Nobody
 * else writes meanwhile, and no worker has the ledger. One that had opened it just before makes no request any more:
 * the columns of an intent are others now.
 */

/** A process that only looks holds the workers' lock for an instant, ms. */
const PATIENCE_MS = 1_000;
const GAP_MS = 20;

/**
 * Returns where the former ledger is kept; undefined: another process has read it in meanwhile. Throws {@link
 * LedgerUnreachable}.
 */
export async function importFormer(path: string): Promise<string | undefined> {
  const database = new Database(path, { timeout: 0 });
  try {
    database.exec('pragma synchronous = full; pragma foreign_keys = off');
    await patiently(() => {
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

/** Copies the ledger, whole or not at all. To be called while nobody can write. */
function keepCopy(path: string): string {
  const kept = besides(path, 'former');
  const part = `${kept}.part`;
  copyWhole(path, part);
  renameSync(part, kept);
  syncPath(dirname(resolve(kept)));
  return kept;
}

/** Empties the database, and fills it from the copy. The triggers count and sum up again what they keep. */
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
  // Before a person could go back to a take, a row whose result was accepted in the middle of a chain paid only for
  // what follows.
  if (has('rows', 'accepted_take') && !has('rows', 'returned_to'))
    database.exec(`update main.rows set redo_from = 'lip-sync' where accepted_take is not null and kind = 'dub'`);
  // Before there were lanes, whoever had an open row has it no more.
  if (!has('rows', 'lane')) database.exec('update main.rows set hold = hold + 1 where outcome is null');
  if (has('sqlite_sequence'))
    database.exec(`delete from main.sqlite_sequence;
      insert into main.sqlite_sequence select name, seq from former.sqlite_sequence where name = 'allowed_firings'`);
  database.exec(`delete from main.${MIGRATION_TABLE};
    insert into main.${MIGRATION_TABLE} select '0.1', min(timestamp) from former.${MIGRATION_TABLE}`);
}

/** What one of these queries asks for, as far as it does. */
type Line = Readonly<Record<'type' | 'name' | 'column' | 'settings', string>>;

function linesOf(database: Database.Database, query: string): readonly Line[] {
  return database.prepare(query).all([]) as Line[];
}

/**
 * Columns without which a table is left: ratios of another kind are begun anew by the next request, schedules by
 * whoever made them.
 */
const NEEDED: Readonly<Record<string, string>> = { charge_ratios: 'size', schedules: 'run' };

/**
 * Lines that are taken, of a table of which not all are: a schedule whose settings were never here is made again by its
 * user.
 */
const ONLY: Readonly<Record<string, string>> = {
  schedules:
    'where run is not null and spec is not null and api_url is not null and account is not null and settled_at is not null',
};

/** Tables whose lines triggers make anew. */
const NOT_COPIED: readonly string[] = ['row_counts', 'sums'];

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

type Columns = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Words that the first versions had: the failure class `Rejected`, and the outcomes `rejected` and `refused`. */
const inNewWords = (json: string): string =>
  [
    ['"class":"Rejected"', '"class":"BadRequest"'],
    ['"outcome":"rejected"', '"outcome":"unfit"'],
    ['"outcome":"refused"', '"outcome":"skipped"'],
  ].reduce((words, [was, is]) => `replace(${words}, '${was ?? ''}', '${is ?? ''}')`, json);

/** What the columns of the present layout hold that a former one has in another form, in SQL. */
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

/** The same for those that not every former layout has. */
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

/** Earlier versions left out settings that they did not have; what they did is on record from now on. */
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
