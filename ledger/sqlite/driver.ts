import { sql } from 'kysely';
import type { LedgerDriver } from '../driver.ts';
import { versionsOf } from '../versions.ts';
import { prepareFile, makeFile } from './open-file.ts';

/**
 * A ledger in a local file, through libsql (docs/decisions/ledger.md). {@link LedgerDriver} describes each member. Code
 * that only some commands need is loaded on demand.
 */
export const sqlite: LedgerDriver = {
  describe: (place) => place,
  make: makeFile,
  open: async (place, options) => {
    await prepareFile(place, options);
    return (await import('./dialect.ts')).openSqlite(place);
  },
  schemaDifferences: async (db) => (await import('./schema-differences.ts')).schemaDifferences(db),
  versions: versionsOf(async () => (await import('./schema.ts')).VERSIONS),
  importFormer: async (place) => (await import('./import-former.ts')).importFormer(place),
  refuseWrites: async (db) => {
    await sql`pragma query_only = on`.execute(db);
  },
  copying: async () => (await import('./copy-dialect.ts')).sqliteCopy,
  backingUp: async () => (await import('./backup-dialect.ts')).sqliteBackup,
  locksOf: async (place) => (await import('./locks.ts')).fileLocks(place),
  reserveOf: async (place) => new (await import('./disk-reserve.ts')).DiskReserve(place),
};
