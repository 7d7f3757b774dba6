/**
 * The scheme of text that looks like a URL, as typed: `postgres` of `postgres://host/db`; undefined for a path. One
 * letter before a colon is a drive.
 */
export function urlSchemeOf(place: string | undefined): string | undefined {
  return /^([a-z][a-z0-9+.-]+):/i.exec(place ?? '')?.[1];
}
