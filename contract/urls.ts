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

/** Parameters of a database's address that hold a password. */
const PASSWORDS = ['password', 'sslpassword'];

/** Whether a URL holds a password. */
export function hasPassword(place: string): boolean {
  return withoutPassword(place) !== place;
}

/** A URL without its password, with which it can still be used by whoever has that from elsewhere. */
export function withoutPassword(place: string): string {
  if (urlSchemeOf(place) === undefined) return place;
  if (!URL.canParse(place)) return withoutSecrets(place);
  const url = new URL(place);
  if (url.password === '' && !PASSWORDS.some((name) => url.searchParams.has(name))) return place;
  url.password = '';
  for (const name of PASSWORDS) url.searchParams.delete(name);
  return url.href;
}

/** Shows only scheme and host of an address whose path may be secret, such as a webhook: `https://host/…`. */
export function withoutPath(address: string): string {
  if (!URL.canParse(address)) return '…';
  const { origin, pathname, search } = new URL(address);
  return pathname.length + search.length > 1 ? `${origin}/…` : origin;
}
