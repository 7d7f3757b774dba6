import { isLoopback } from './urls.ts';
import { parseListenAddress, type ListenAddress } from './listen-address.ts';
import { trimEnd } from './trim-end.ts';

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
  const { host, port } = parseListenAddress(text, '') ?? {};
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
  const address = serveMedia === undefined ? undefined : parseListenAddress(serveMedia, '');
  if (serveMedia === undefined || address === undefined || address.host === '') return undefined;
  return { ...address, url: trimEnd(serveMediaUrl ?? `http://${serveMedia}`, '/') };
}

/** A host on which a server listens on all addresses; no link can name it. */
const ANY_ADDRESS = new Set(['0.0.0.0', '[::]']);

/**
 * Why the service cannot fetch from this place, judged by the addresses alone: a clause that goes on after "expected".
 * Undefined if it may be able to. `apiUrl`: undefined if none is known.
 */
export function unreachableReason({ url }: Pick<ServeMedia, 'url'>, apiUrl: string | undefined): string | undefined {
  const { hostname } = new URL(url);
  const isNowhere = ANY_ADDRESS.has(hostname);
  const isFarApi = apiUrl !== undefined && !isLoopback(new URL(apiUrl).hostname);
  if (!isNowhere && !(isFarApi && isLoopback(hostname))) return undefined;
  const who = apiUrl === undefined ? 'the service' : `the service at ${new URL(apiUrl).host}`;
  return `an http(s) URL; ${who} cannot reach this machine at ${url}: give --serve-media-url with the address at which it can`;
}
