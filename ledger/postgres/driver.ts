import type { LedgerDriver } from '../driver.ts';
import { describePlace } from './describe-place.ts';
import { versionsOf } from '../versions.ts';

/** A ledger in a PostgreSQL database, through `pg` (docs/decisions/ledger.md). */
export const postgres: LedgerDriver = {
  describe: describePlace,
  // The database exists; its owner makes the schema.
  make: () => Promise.resolve(),
  open: async (place, how) => (await import('./dialect.ts')).openPostgres(place, how),
  // Whoever names a database has chosen it: no ledger in one comes with a folder from elsewhere.
  strangeParts: () => Promise.resolve([]),
  versions: versionsOf(async () => (await import('./schema.ts')).VERSIONS),
  letOthersWork: async (...migration) => (await import('./locked-tables.ts')).letOthersWork(...migration),
  // `HOME` and its like have the files of passwords and services, `USER` is the user of an address without one.
  isSetting: (name) => name.startsWith('PG') || ['HOME', 'USER', 'APPDATA', 'USERPROFILE', 'USERNAME'].includes(name),
  copying: async () => (await import('./copy-dialect.ts')).postgresCopy,
  clockOf: async (db) => (await import('./server-clock.ts')).serverClock(db),
  locksOf: async (place) => (await import('./locks.ts')).advisoryLocks(place),
  // Its server's disk is not ours to reserve.
  reserveOf: () =>
    Promise.resolve({
      begin: () => undefined,
      hold: () => undefined,
      fault: () => undefined,
      free: () => undefined,
      isOnDiskOf: () => false,
    }),
};
