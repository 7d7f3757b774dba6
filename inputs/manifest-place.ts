import type { Readable } from 'node:stream';
import { isLoopback, urlSchemeOf } from '../contract/urls.ts';
import { isPlainUrl } from '../contract/value-kinds.ts';
import { ManifestError } from '../contract/manifest-problems.ts';

/**
 * Fetches the file at a URL and passes its body to `receive`, once per attempt. `etag` is the server's name for this
 * version; `why` is a human-readable clause.
 */
export type FetchManifest = (
  url: string,
  receive: (body: Readable) => Promise<void>,
) => Promise<
  { readonly type: 'fetched'; readonly etag: string | null } | { readonly type: 'failed'; readonly why: string }
>;

/** The accepted form of manifest URLs, for a message that begins with "expected". */
export const MANIFEST_URL_FORM = 'an https:// URL without a password (http:// is for loopback)';

/** Whether a text is a URL rather than a path, valid or not. */
export function isUrl(text: string): boolean {
  return urlSchemeOf(text) !== undefined && text.includes('://');
}

/** Whether a path is a glob: `*` matches any part of a name, `?` one character, `**` folders of any depth. */
export function isGlob(path: string): boolean {
  return /[*?]/.test(path);
}

/** Whether a manifest may be fetched from this URL. */
export function isManifestUrl(text: string): boolean {
  if (!isPlainUrl(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Returns a manifest's place for display, without the query of a URL, which is often secret. */
export function labelOfPlace(place: string): string {
  if (!isUrl(place) || !URL.canParse(place)) return place;
  const { origin, pathname } = new URL(place);
  return `${origin}${pathname}`;
}

/** Requires a URL that may be fetched. @throws ManifestError */
export function requireManifestUrl(url: string): void {
  if (isManifestUrl(url)) return;
  throw new ManifestError(`expected ${MANIFEST_URL_FORM} for the manifest. Nothing was spent.`);
}
