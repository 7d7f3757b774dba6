import Database from 'libsql';
import { Kysely, SqliteDialect } from 'kysely';
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchSettings } from '../../contract/batch.ts';
import { BUILT_IN_PRICES } from '../../contract/row-kinds.ts';
import { TUNABLES_BEFORE } from '../../contract/tunables.ts';
import { KernelLock } from '../../embedded/kernel-lock.ts';
import { applyTuning } from '../../policy/tuning.ts';
import { LedgerUnreachable } from '../errors.ts';
import { FORMER_VERSION, MIGRATION_TABLE } from '../migrate.ts';
import { TABLES } from '../schema.ts';
import { patiently } from './dialect.ts';
import { explain } from './errors.ts';
import { columnsFrom, NOT_COPIED, type FormerTables } from './former-columns.ts';
import { besides } from './locks.ts';
import { createTables } from './schema.ts';

/**
 * Reads a ledger of a layout from before version 1, whichever, into the present one. To be removed before version 1.0 of voxbatch.
 *
 * The former ledger is copied beside the file first, and stays there. The file itself is emptied, and filled from that copy, in one
 * transaction: a process that is killed leaves the former ledger, and the next one begins anew. Nobody else writes meanwhile, and no worker
 * has the ledger. One that had opened it just before makes no request any more: the columns of an intent are others now.
 */

/** A process that only looks holds the workers' lock for an instant, ms. */
const PATIENCE_MS = 1_000;
const GAP_MS = 20;

/** Returns where the former ledger is kept; undefined: another process has read it in meanwhile. Throws {@link LedgerUnreachable}. */
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
  return database.prepare(`select 1 from ${MIGRATION_TABLE} where name = ?`).get([FORMER_VERSION]) !== undefined;
}

async function keepWorkersOut(path: string): Promise<KernelLock> {
  const lock = new KernelLock(besides(path, 'lock'));
  const givesUpAt = performance.now() + PATIENCE_MS;
  while (!lock.tryAlone()) {
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
  rmSync(part, { force: true });
  // Made by us first, so that it is for its owner alone.
  closeSync(openSync(part, 'wx', 0o600));
  const reader = new Database(path, { readonly: true });
  try {
    reader.prepare('vacuum into ?').run([part]);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    reader.close();
  }
  sync(part);
  renameSync(part, kept);
  sync(dirname(resolve(kept)));
  return kept;
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Empties the database, and fills it from the copy. The triggers count and sum up again what they keep. */
async function fill(database: Database.Database): Promise<void> {
  const parts = database
    .prepare(
      `select type, name from main.sqlite_master where name not like 'sqlite_%' and name not like '${MIGRATION_TABLE}%'`,
    )
    .all([]) as { type: string; name: string }[];
  for (const type of ['trigger', 'view', 'index', 'table']) {
    for (const { name } of parts.filter((part) => part.type === type)) {
      database.exec(`drop ${type} main.${JSON.stringify(name)}`);
    }
  }
  await createTables(new Kysely<unknown>({ dialect: new SqliteDialect({ database }) }));
  const former = formerTables(database);
  for (const name of Object.keys(TABLES) as (keyof typeof TABLES)[]) {
    const values = NOT_COPIED.includes(name) ? undefined : columnsFrom(name, former);
    if (values === undefined) continue;
    const into = Object.keys(values).map((column) => JSON.stringify(column));
    database.exec(
      `insert into main.${name} (${into.join(', ')}) select ${Object.values(values).join(', ')} from former.${name}${name === 'schedules' ? ' where run is not null' : ''}`,
    );
  }
  completeSettings(database);
  const numbered = `from former.sqlite_sequence where name = 'allowed_firings'`;
  if (hasSequence(database))
    database.exec(`delete from main.sqlite_sequence; insert into main.sqlite_sequence select name, seq ${numbered}`);
  database.exec(`delete from main.${MIGRATION_TABLE};
    insert into main.${MIGRATION_TABLE} select 'v1', min(timestamp) from former.${MIGRATION_TABLE}`);
}

function formerTables(database: Database.Database): FormerTables {
  const columns = database
    .prepare(
      `select m.name as name, c.name as column from former.sqlite_master as m join pragma_table_info(m.name, 'former') as c
       where m.type = 'table'`,
    )
    .all([]) as { name: string; column: string }[];
  return new Map(
    columns.map(({ name }) => [name, columns.filter((one) => one.name === name).map(({ column }) => column)]),
  );
}

function hasSequence(database: Database.Database): boolean {
  return database.prepare(`select 1 from former.sqlite_master where name = 'sqlite_sequence'`).get([]) !== undefined;
}

/** Earlier versions left out settings that they did not have; what they did is on record from now on. */
function completeSettings(database: Database.Database): void {
  const batches = database.prepare('select name, settings from main.batches').all([]) as {
    name: string;
    settings: string;
  }[];
  const change = database.prepare('update main.batches set settings = ?, budget = ? where name = ?');
  for (const { name, settings: json } of batches) {
    const settings = JSON.parse(json) as BatchSettings;
    const prices = { ...BUILT_IN_PRICES, ...settings.prices };
    const whole: BatchSettings = { ...settings, prices, ...applyTuning(TUNABLES_BEFORE, settings) };
    change.run([JSON.stringify(whole), whole.budget, name]);
  }
}
