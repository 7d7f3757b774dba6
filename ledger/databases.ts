import { urlSchemeOf } from '../contract/url-scheme.ts';
import type { LedgerDriver } from './driver.ts';
import { pathOf } from './sqlite/path-of.ts';

/** A kind of database that can hold a ledger. All that only it needs is in its folder. */
interface DatabaseKind {
  /** What an address of this kind means in every working directory: an absolute path, say. Undefined for addresses of other kinds. */
  readonly resolve: (address: string) => string | undefined;
  /** Its code, which takes a while to load and which few commands need. */
  readonly load: () => Promise<LedgerDriver>;
}

/** The databases that a ledger can lie in. The first that knows an address opens it. */
const DATABASES: readonly DatabaseKind[] = [
  { resolve: pathOf, load: async () => (await import('./sqlite/driver.ts')).sqlite },
];

/** What the addresses of {@link DATABASES} are, as people are told it. */
const EXPECTED = 'the path of a database file';

/** Databases that people ask for, by the schemes of their addresses. */
const PLANNED: Readonly<Record<string, string>> = { postgres: 'PostgreSQL', postgresql: 'PostgreSQL' };

/** An address of a ledger that was understood, or what is wrong with it. Of a URL only the scheme is said: the rest may hold a password. */
export type LedgerAddress =
  | {
      readonly type: 'address';
      /** Means the same in every working directory. */
      readonly address: string;
      readonly load: DatabaseKind['load'];
    }
  | { readonly type: 'refused'; readonly expected: string; readonly came: string };

/** Reads an address as a user writes it: a path, or a `file:` or `sqlite:` URL. */
export function readLedgerAddress(given: string): LedgerAddress {
  for (const { resolve, load } of DATABASES) {
    const address = resolve(given);
    if (address !== undefined) return { type: 'address', address, load };
  }
  const scheme = urlSchemeOf(given)?.toLowerCase() ?? '';
  const planned = PLANNED[scheme];
  const why = planned === undefined ? '' : `; ${planned} is not supported yet`;
  return { type: 'refused', expected: EXPECTED, came: `a ${scheme}: URL${why}` };
}
