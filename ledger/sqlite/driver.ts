import { sql } from 'kysely';
import type { LedgerDriver } from '../driver.ts';
import { versionsOf } from '../versions.ts';
import { admitFile, makeFile } from './open-file.ts';

/**
 * A ledger in a local file, through libsql (docs/decisions/ledger.md). Code that only some commands need is loaded on
 * demand.
 */
export const sqlite: LedgerDriver = {
  describe: (place) => place,
  make: makeFile,
  open: async (place, options) => {
    await admitFile(place, options);
    return (await import('./dialect.ts')).openSqlite(place);
  },
  strangeParts: async (db) => (await import('./strange-parts.ts')).strangeParts(db),
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
