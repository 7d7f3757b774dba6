import { createAgents } from './agents.ts';
import { noResponse, openRequest, responseOf } from './create-fetch.ts';
import { followRedirects, MOST_REDIRECTS, readLink } from './follow-redirects.ts';
import { isPrivateLiteral, PRIVATE_HOST, privacyOf, SYSTEM_NETWORK, type Network } from './network.ts';
import { readProxies } from './proxies.ts';
import { targetOf } from './exchange.ts';

/** Options of {@link createMediaFetch}. */
export interface MediaFetchOptions {
  /** Where proxies are named. Default: this process's environment. */
  readonly env?: Parameters<typeof readProxies>[0];
  /** How names are resolved, and which addresses are private. */
  readonly network?: Network;
}

/**
 * Returns a `fetch` for media that a manifest names, without a token. A manifest may come from anybody, and the API is
 * to fetch these media itself, so the rules are those of result links (`open-link.ts`): http(s) only, five redirects at
 * most, and private addresses only if the API is in a private network too, and no longer once the way passed a public
 * host. It follows redirects itself, and rejects as that of {@link createFetch} does.
 *
 * @param apiUrl address of the API; undefined, or none that is one: none is known, so private addresses are refused.
 */
export function createMediaFetch(
  apiUrl: string | undefined,
  { env = process.env, network = SYSTEM_NETWORK }: MediaFetchOptions = {},
): typeof fetch {
  const agents = createAgents({ network, proxyFor: readProxies(env) });
  const isApiPrivate =
    apiUrl === undefined || !URL.canParse(apiUrl)
      ? () => Promise.resolve(false)
      : privacyOf(network, targetOf(new URL(apiUrl)).hostname);
  return async (input, init) => {
    const request = new Request(input, init);
    const signal = init?.signal ?? undefined;
    const start = readLink(request.url, request.url);
    if (start === undefined) throw noResponse('it is not an http(s) URL');
    const { end } = await followRedirects<never>(start, {
      mayBePrivate: await isApiPrivate(),
      isPrivateAddress: network.isPrivate,
      open: async (url, mayBePrivate) =>
        !mayBePrivate && isPrivateLiteral(network, targetOf(url).hostname)
          ? REFUSED
          : openRequest(request, url, { agents: mayBePrivate ? agents.free : agents.outside, signal }),
    });
    signal?.throwIfAborted();
    switch (end.type) {
      case 'answer':
        return responseOf(end);
      case 'no-answer':
        throw end.code === PRIVATE_HOST ? noResponse(IS_PRIVATE, true) : noResponse(end.cause);
      case 'too-many':
        throw noResponse(`redirected more than ${MOST_REDIRECTS} times`);
      case 'no-target':
        throw noResponse('redirected to something that is not an http(s) URL');
    }
  };
}

const IS_PRIVATE = 'its host is in a private network, where a manifest must not lead; nothing was asked there';
const REFUSED = { type: 'no-answer', given: false, cause: IS_PRIVATE, code: PRIVATE_HOST } as const;
