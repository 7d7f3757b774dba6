import { API_PATH, isLoopback } from '../contract/urls.ts';
import { trimEnd } from '../contract/trim-end.ts';

/** The validated address of the service, the only place a token may go. */
export interface BaseUrl {
  /** Origin and path without a trailing slash, e.g. `https://host/api/open/v1`. */
  readonly baseUrl: string;
  /** Scheme, host and port; the token goes here and nowhere else. */
  readonly origin: string;
}

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
  return { baseUrl: url.origin + path, origin: url.origin };
}
