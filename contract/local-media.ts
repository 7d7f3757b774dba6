/**
 * Local files as `audio` or `video` of a row. The row's spec holds the content's sha256 in place of a link, so rows
 * with the same content are equal. The link by which the API fetches the file is created for each request, expires, and
 * is never recorded.
 */

const CELL = /^sha256:([\da-f]{64})$/;

/** Matches a URL path whose last segment was made by {@link nameOfContent}. */
const LINK_NAME = /(?:^|\/)([\da-f]{64})\.[a-z\d]{1,8}$/;

/** Allowance for clock differences and the download itself, ms. */
const MARGIN_MS = 3_600_000;

/** Returns the lifetime of a request's links to local media, ms: longer than its job may take. */
export function linkLifetimeMs({ jobDeadlineMs }: { readonly jobDeadlineMs: number }): number {
  return jobDeadlineMs + MARGIN_MS;
}

/** Returns the spec cell for local media with this content (sha256, hex). A manifest cannot contain such a cell. */
export function cellOfContent(sha256: string): string {
  return `sha256:${sha256}`;
}

/** Returns the sha256 (hex) in such a cell; undefined for a link. */
export function contentOfCell(cell: string): string | undefined {
  return CELL.exec(cell)?.[1];
}

/** Returns the last path segment of every link to this content. The API's list repeats links; this recognises ours. */
export function nameOfContent({ sha256, extension }: { readonly sha256: string; readonly extension: string }): string {
  return `${sha256}.${extension}`;
}

/** Returns the cell for the content behind one of our links, on whatever host; undefined for any other link. */
export function cellOfLink(link: string): string | undefined {
  // Not `URL`, which does not exist in the workflow sandbox.
  const [, path = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(link) ?? [];
  const sha256 = LINK_NAME.exec(path)?.[1];
  return sha256 === undefined ? undefined : cellOfContent(sha256);
}

/** Whether a link leads to what a cell means: the link is the cell itself, or leads to the content that it names. */
export function isLinkToCell(link: string, cell: string): boolean {
  return link === cell || (contentOfCell(cell) !== undefined && cellOfLink(link) === cell);
}
