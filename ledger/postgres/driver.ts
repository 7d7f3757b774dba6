import type { LedgerDriver } from '../driver.ts';
import { describePlace } from './describe-place.ts';
import { versionsOf } from '../versions.ts';

/** A ledger in a PostgreSQL database, through `pg` (docs/decisions/ledger.md). */
export const postgres: LedgerDriver = {
  describe: describePlace,
  // The database exists; its owner makes the schema.
  make: () => Promise.resolve(),
  open: async (place, how) => (await import('./dialect.ts')).openPostgres(place, how),
  // Not checked: unlike a file, a database does not come along in a folder from elsewhere.
  schemaDifferences: () => Promise.resolve([]),
  versions: versionsOf(async () => (await import('./schema.ts')).VERSIONS),
  retryMigration: async (...migration) => (await import('./locked-tables.ts')).retryMigration(...migration),
  // `HOME` and the like locate the files of passwords and services; `USER` is the default user.
  isSetting: (name) => name.startsWith('PG') || ['HOME', 'USER', 'APPDATA', 'USERPROFILE', 'USERNAME'].includes(name),
  copying: async () => (await import('./copy-dialect.ts')).postgresCopy,
  clockOf: async (db) => (await import('./server-clock.ts')).serverClock(db),
  locksOf: async (place) => (await import('./locks.ts')).advisoryLocks(place),
  // The disk of the server is not ours to reserve.
  reserveOf: () =>
    Promise.resolve({
      begin: () => undefined,
      hold: () => undefined,
      fault: () => undefined,
      free: () => undefined,
      isOnDiskOf: () => false,
    }),
};
