import { isLoopback } from './urls.ts';
import { parseListenAddress, type ListenAddress } from './listen-address.ts';
import { trimEnd } from './trim-end.ts';

/**
 * The media server (`--serve-media`), from which the API fetches local `audio` and `video`: the address that it listens
 * on, and the base of its links.
 */
export interface ServeMedia extends ListenAddress {
  /** Base URL at which the API reaches the server: http(s), without a query and a trailing slash. */
  readonly url: string;
}

/** The settings of the media server as the user writes them. */
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

/** Whether a text is a valid `serveMedia`: it has a host, and a fixed port. */
export function isListenAddress(text: string): boolean {
  const { host, port } = parseListenAddress(text, '') ?? {};
  return host !== undefined && host !== '' && port !== 0;
}

/** Whether a text is a valid `serveMediaUrl`: an http(s) URL without query, fragment and credentials. */
export function isLinkBase(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** Returns the media server of valid settings; undefined if they name none. */
export function serveMediaOf({ serveMedia, serveMediaUrl }: ServeMediaSettings): ServeMedia | undefined {
  const address = serveMedia === undefined ? undefined : parseListenAddress(serveMedia, '');
  if (serveMedia === undefined || address === undefined || address.host === '') return undefined;
  return { ...address, url: trimEnd(serveMediaUrl ?? `http://${serveMedia}`, '/') };
}

/** Hosts that mean all addresses of the machine. A link cannot use them. */
const ANY_ADDRESS = new Set(['0.0.0.0', '[::]']);

/**
 * Returns why the API certainly cannot fetch from the media server, judged by the addresses alone, as a clause that
 * follows "expected"; undefined if it may be able to. `apiUrl`: undefined if unknown.
 */
export function unreachableReason({ url }: Pick<ServeMedia, 'url'>, apiUrl: string | undefined): string | undefined {
  const { hostname } = new URL(url);
  const isNowhere = ANY_ADDRESS.has(hostname);
  const isFarApi = apiUrl !== undefined && !isLoopback(new URL(apiUrl).hostname);
  if (!isNowhere && !(isFarApi && isLoopback(hostname))) return undefined;
  const who = apiUrl === undefined ? 'the service' : `the service at ${new URL(apiUrl).host}`;
  return `an http(s) URL; ${who} cannot reach this machine at ${url}: give --serve-media-url with the address at which it can`;
}
