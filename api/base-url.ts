import { API_PATH, isLoopback } from '../contract/api-path.ts';
import { trimEnd } from '../contract/trim-end.ts';

/** Where a token may go: the address of the service, checked at the door. */
export interface BaseUrl {
  /** Origin and path without a trailing slash, e.g. `https://host/api/open/v1`. */
  readonly baseUrl: string;
  /** Scheme, host and port; the token goes here and nowhere else. */
  readonly origin: string;
  /** A sentence for the user if the host looks like another service; it is not refused. */
  readonly warning?: string;
}

/**
 * Hosts that are easily mistaken for the service. Public material names both: another company's API of a similar name,
 * and a regional product with other paths. Their tokens are refused here with 401, and the other way round.
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  'api.fish.audio': 'it belongs to another company',
  'fish.audio': 'it belongs to another company',
  'kittaaudio.com': 'it is a regional product with other paths',
};

/**
 * Parses the base address of the service. It must end in `/api/open/v1`; trailing slashes and a doubled path are
 * removed. Plain http would expose the token on the way, so it is allowed for loopback hosts only, unless `allowHttp`
 * is set (a private network between containers).
 *
 * @throws Error that says what was expected and what it got. It never repeats a user name, password or query.
 */
export function readBaseUrl(text: string, options: { readonly allowHttp?: boolean } = {}): BaseUrl {
  const expected = `expected an address such as https://host${API_PATH}`;
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw new Error(`The API address is not a URL: ${expected}.`);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Error(`The API address has the scheme ${url.protocol} – ${expected}.`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Error(`The API address has a user name, password, query or fragment: ${expected} and nothing else.`);
  }
  if (url.protocol === 'http:' && options.allowHttp !== true && !isLoopback(url.hostname)) {
    throw new Error(
      `The API address uses http for ${url.host}: the token would travel in the open. Use https (http is for loopback).`,
    );
  }
  let path = trimEnd(url.pathname, '/');
  while (path.endsWith(API_PATH + API_PATH)) path = path.slice(0, -API_PATH.length);
  if (!path.endsWith(API_PATH)) {
    throw new Error(`The API address has the path ${url.pathname === '' ? '/' : url.pathname}: ${expected}.`);
  }
  const why = LOOK_ALIKES[url.hostname.replace(/^www\./, '')];
  return {
    baseUrl: url.origin + path,
    origin: url.origin,
    ...(why === undefined
      ? {}
      : { warning: `${url.hostname} looks like the service but ${why}; a 401 is the usual sign of the wrong host.` }),
  };
}
