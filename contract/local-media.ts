import { isLoopback } from './urls.ts';
import { readListenAddress, type ListenAddress } from './listen-address.ts';
import { trimEnd } from './trim-end.ts';

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
export function leadsTo(link: string, cell: string): boolean {
  return link === cell || (contentOfCell(cell) !== undefined && cellOfLink(link) === cell);
}

/** Where local `audio` and `video` are handed out, and how links name that place. */
export interface ServeMedia extends ListenAddress {
  /** Where the service reaches this host and port: http(s), no query, no slash at the end. */
  readonly url: string;
}

/** As settings say it. */
export interface ServeMediaSettings {
  /** `HOST:PORT`. */
  readonly serveMedia?: string;
  /** Default: `http://HOST:PORT`. */
  readonly serveMediaUrl?: string;
}

/** The form of `serveMedia`, for messages that begin with "expected". */
export const SERVE_MEDIA_FORM = 'HOST:PORT to listen on, such as 127.0.0.1:8777';
/** The form of `serveMediaUrl`. */
export const SERVE_MEDIA_URL_FORM = 'an http or https URL without a query, at which the service reaches that port';

/** Whether a text is an address to listen on. */
export function isListenAddress(text: string): boolean {
  const { host, port } = readListenAddress(text, '') ?? {};
  return host !== undefined && host !== '' && port !== 0;
}

/** Whether a text can be the beginning of links. */
export function isLinkBase(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** Where media are handed out by these settings, which are valid; undefined: nowhere. */
export function serveMediaOf({ serveMedia, serveMediaUrl }: ServeMediaSettings): ServeMedia | undefined {
  const address = serveMedia === undefined ? undefined : readListenAddress(serveMedia, '');
  if (serveMedia === undefined || address === undefined || address.host === '') return undefined;
  return { ...address, url: trimEnd(serveMediaUrl ?? `http://${serveMedia}`, '/') };
}

/** A host on which a server listens on all addresses; no link can name it. */
const ANY_ADDRESS = new Set(['0.0.0.0', '[::]']);

/**
 * Why the service cannot fetch from this place, judged by the addresses alone: a clause that goes on after "expected".
 * Undefined if it may be able to. `apiUrl`: undefined if none is known.
 */
export function whyOutOfReach({ url }: Pick<ServeMedia, 'url'>, apiUrl: string | undefined): string | undefined {
  const { hostname } = new URL(url);
  const isNowhere = ANY_ADDRESS.has(hostname);
  const isFarApi = apiUrl !== undefined && !isLoopback(new URL(apiUrl).hostname);
  if (!isNowhere && !(isFarApi && isLoopback(hostname))) return undefined;
  const who = apiUrl === undefined ? 'the service' : `the service at ${new URL(apiUrl).host}`;
  return `an http(s) URL; ${who} cannot reach this machine at ${url}: give --serve-media-url with the address at which it can`;
}
