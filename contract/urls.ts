/** Path of the API on its host. Every API base URL ends in it. */
export const API_PATH = '/api/open/v1';

/** Whether the host of a URL is loopback, judged by its text, without DNS. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * Returns a location that is safe to show: a URL loses its password, query and fragment, which may hold secrets; any
 * other text, such as a path, is unchanged.
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
 * Returns the scheme of a text that looks like a URL: `postgres` of `postgres://host/db`; undefined for a path. A
 * single letter before a colon is a Windows drive.
 */
export function urlSchemeOf(place: string | undefined): string | undefined {
  return /^([a-z][a-z0-9+.-]+):/i.exec(place ?? '')?.[1];
}

/** Whether a ledger is a local file (SQLite), by its resolved address. Otherwise it is in PostgreSQL. */
export function isLedgerFile(address: string): boolean {
  return urlSchemeOf(address) === undefined;
}
