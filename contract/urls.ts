/** Path of the API on its host; every base address ends in it. */
export const API_PATH = '/api/open/v1';

/** Whether a URL's host is loopback, judged by its text alone. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * A location that is safe to show: a URL loses its password and its query, which may hold secrets too; any other text,
 * such as a path, stays unchanged.
 */
export function withoutSecrets(place: string): string {
  const scheme = urlSchemeOf(place);
  if (scheme === undefined) return place;
  // Up to the last @: a password may hold one, and other characters that should be escaped.
  const [, user = '', rest = ''] = /^[^:]+:(?:\/\/)?(?:(.*)@)?([^?#]*)/s.exec(place) ?? [];
  const name = /^[^:/?#]*/.exec(user)?.[0] ?? '';
  return `${scheme}://${name === '' ? '' : `${name}@`}${rest}`;
}

/**
 * The scheme of text that looks like a URL, as typed: `postgres` of `postgres://host/db`; undefined for a path. One
 * letter before a colon is a drive.
 */
export function urlSchemeOf(place: string | undefined): string | undefined {
  return /^([a-z][a-z0-9+.-]+):/i.exec(place ?? '')?.[1];
}

/**
 * Whether a ledger is a file of this machine, by its resolved address. Otherwise it is in PostgreSQL, where workers
 * elsewhere reach it.
 */
export function isLedgerFile(address: string): boolean {
  return urlSchemeOf(address) === undefined;
}
