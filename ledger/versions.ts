import type { Migration } from 'kysely';

/**
 * The versions of the ledger's tables, oldest first, and for each the oldest one whose programs may work on a ledger
 * that has it. A version that only adds what older programs need not know (a table, a nullable column) names the same
 * one as the version before it; any other names itself. It never goes back.
 */
const OLDEST = { '0.1': '0.1', '0.2': '0.1', '0.3': '0.1', '0.4': '0.1', '0.5': '0.1', '0.6': '0.1' } as const;

export type VersionName = keyof typeof OLDEST;

/** Makes a version in a database that has all versions before it. */
export type MakeVersion = Migration['up'];

/** A version of the tables. */
export interface Version {
  readonly up: MakeVersion;
  /** The oldest version whose programs may still work on the ledger. */
  readonly oldest: string;
}

/** The versions of a kind of database, which makes each with SQL of its own. `load`: few commands need that code. */
export function versionsOf(
  load: () => Promise<Readonly<Record<VersionName, MakeVersion>>>,
): Readonly<Record<string, Version>> {
  const names = Object.keys(OLDEST) as readonly VersionName[];
  return Object.fromEntries(
    names.map((name) => [name, { up: async (db) => (await load())[name](db), oldest: OLDEST[name] }]),
  );
}
