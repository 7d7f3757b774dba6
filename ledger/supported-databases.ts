import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { urlSchemeOf } from '../contract/urls.ts';
import type { LedgerDriver } from './driver.ts';

/** A kind of database that can hold a ledger. Everything specific to it is in its folder. */
interface DatabaseKind {
  /**
   * Resolves an address of this kind so that it means the same in every working directory, such as an absolute path.
   * Undefined for addresses of other kinds.
   */
  readonly resolve: (address: string) => string | undefined;
  /** Loads its code, which takes a while and which few commands need. */
  readonly load: () => Promise<LedgerDriver>;
}

/** The databases that can hold a ledger. The first that recognises an address opens it. */
const DATABASES: readonly DatabaseKind[] = [
  { resolve: pathOf, load: async () => (await import('./sqlite/driver.ts')).sqlite },
  { resolve: postgresUrlOf, load: async () => (await import('./postgres/driver.ts')).postgres },
];

/** The addresses of {@link DATABASES}, for messages. */
const EXPECTED = 'the path of a database file, or a postgres:// URL';

/**
 * A parsed address of a ledger, or what is wrong with it. Only the scheme of a URL is repeated: the rest may hold a
 * password.
 */
export type LedgerAddress =
  | {
      readonly type: 'address';
      /** Means the same in every working directory. */
      readonly address: string;
      readonly load: DatabaseKind['load'];
    }
  | { readonly type: 'refused'; readonly expected: string; readonly got: string };

/** Parses an address as a user writes it: a path, or a `file:`, `sqlite:`, `postgres:` or `postgresql:` URL. */
export function readLedgerAddress(given: string): LedgerAddress {
  for (const { resolve, load } of DATABASES) {
    const address = resolve(given);
    if (address !== undefined) return { type: 'address', address, load };
  }
  const scheme = urlSchemeOf(given)?.toLowerCase() ?? '';
  return { type: 'refused', expected: EXPECTED, got: `a ${scheme}: URL${POSTGRES.includes(scheme) ? UNREAD : ''}` };
}

/** Appended to the message about a PostgreSQL URL that cannot be parsed. */
const UNREAD =
  ' that cannot be read (in its user and password, write # as %23, @ as %40, / as %2F, ? as %3F, : as %3A and % as %25)';

/** URL schemes of PostgreSQL. */
const POSTGRES: readonly string[] = ['postgres', 'postgresql'];

/**
 * The URL of a PostgreSQL database. Undefined for any other address, and for a URL that cannot be parsed, or in which
 * an unescaped character makes a part of the password look like the host, the database or a parameter: messages would
 * print it.
 */
function postgresUrlOf(address: string): string | undefined {
  const scheme = urlSchemeOf(address)?.toLowerCase();
  if (scheme === undefined || !POSTGRES.includes(scheme) || !URL.canParse(address)) return undefined;
  const { href, username, pathname, search, searchParams, hash } = new URL(address);
  const hasStrayAt = pathname.includes('@') || (username === '' && search.includes('@'));
  const isOdd = hasStrayAt || hash !== '' || [...searchParams.keys()].some((name) => !/^\w+$/.test(name));
  return isOdd ? undefined : href;
}

/** The absolute path in an address: a path, or a `file:` or `sqlite:` URL. Undefined for any other URL. */
function pathOf(address: string): string | undefined {
  const scheme = urlSchemeOf(address)?.toLowerCase();
  if (scheme === undefined) return resolve(address);
  if (scheme === 'file' && address.startsWith('file://')) return fileURLToPath(address);
  if (scheme === 'file' || scheme === 'sqlite') return resolve(address.slice(scheme.length + 1).replace(/^\/\//, ''));
  return undefined;
}
