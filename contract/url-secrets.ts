import { urlSchemeOf, withoutSecrets } from './urls.ts';

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
