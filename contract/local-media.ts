/**
 * Media of this machine in a row: in place of a link, its cell holds the content's sha256. So two rows with the same
 * content ask for the same, whatever the links are that a service fetches it by: a link is made anew for each request,
 * expires, and is never on record.
 */

const CELL = /^sha256:([\da-f]{64})$/;

/** The last segment of a path that ends in a link's name; see {@link nameOfContent}. */
const LINK_NAME = /(?:^|\/)([\da-f]{64})\.[a-z\d]{1,8}$/;

/** Links live this much longer than a job may take, ms: clocks differ, and a download takes its time. */
const MARGIN_MS = 3_600_000;

/** How long a request's links to local media are good for, ms: as long as its job may take. */
export function linkLifetimeMs({ jobDeadlineMs }: { readonly jobDeadlineMs: number }): number {
  return jobDeadlineMs + MARGIN_MS;
}

/** The cell of a row for local media with this content (sha256, hex). No manifest can contain it. */
export function cellOfContent(sha256: string): string {
  return `sha256:${sha256}`;
}

/** The sha256 in such a cell, hex; undefined for a link. */
export function contentOfCell(cell: string): string | undefined {
  return CELL.exec(cell)?.[1];
}

/** The last path segment of every link to this content: by it the link is recognised wherever it is repeated. */
export function nameOfContent({ sha256, extension }: { readonly sha256: string; readonly extension: string }): string {
  return `${sha256}.${extension}`;
}

/** The cell of the content that a link of ours leads to, whichever server it names; undefined for any other link. */
export function cellOfLink(link: string): string | undefined {
  // Without `URL`, which workflows do not have.
  const [, path = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(link) ?? [];
  const sha256 = LINK_NAME.exec(path)?.[1];
  return sha256 === undefined ? undefined : cellOfContent(sha256);
}

/** Whether a link leads to what a cell asks for: it is the cell's own link, or one to its content. */
export function isLinkToCell(link: string, cell: string): boolean {
  return link === cell || (contentOfCell(cell) !== undefined && cellOfLink(link) === cell);
}
