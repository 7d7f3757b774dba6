/**
 * The scheme of what looks like a URL rather than a path, as it was typed: `postgres` of `postgres://host/db`; undefined for a path. One letter before a
 * colon is a drive.
 */
export function urlSchemeOf(place: string | undefined): string | undefined {
  return /^([a-z][a-z0-9+.-]+):/i.exec(place ?? '')?.[1];
}
