import type { Migration } from 'kysely';

/**
 * The versions of the ledger's tables, oldest first. The value is the oldest version whose programs may work on a
 * ledger that has this one. A version that only adds what older programs need not know (a table, a nullable column)
 * keeps the value of the version before it; any other names itself. Values never decrease.
 */
const OLDEST = { '0.1': '0.1', '0.2': '0.1', '0.3': '0.1', '0.4': '0.1', '0.5': '0.1', '0.6': '0.1' } as const;

/** The name of a version: the release that brought it. */
export type VersionName = keyof typeof OLDEST;

/** Migrates a database that has all earlier versions to this one. */
export type MakeVersion = Migration['up'];

/** A version of the tables. */
export interface Version {
  readonly up: MakeVersion;
  /** The oldest version whose programs may still work on the ledger. */
  readonly oldest: string;
}

/** The versions of one kind of database. `load` imports their migrations, which few commands need. */
export function versionsOf(
  load: () => Promise<Readonly<Record<VersionName, MakeVersion>>>,
): Readonly<Record<string, Version>> {
  const names = Object.keys(OLDEST) as readonly VersionName[];
  return Object.fromEntries(
    names.map((name) => [name, { up: async (db) => (await load())[name](db), oldest: OLDEST[name] }]),
  );
}
