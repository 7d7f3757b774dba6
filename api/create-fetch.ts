import { Readable } from 'node:stream';
import { type AgentPair, createAgents } from './agents.ts';
import { targetOf } from './exchange.ts';
import { followRedirects, readLink } from './follow-redirects.ts';
import { type AnswerHead, makeRequest } from './http.ts';
import { privacyOf, SYSTEM_NETWORK, type Network } from './network.ts';
import { readProxies } from './proxies.ts';

type Environment = Parameters<typeof readProxies>[0];

/** Longest time to get a connection, and for the rest of an exchange, ms: as Node's `fetch`. */
const CONNECT_MS = 10_000;
const EXCHANGE_MS = 300_000;

/** Headers that somebody reads. */
const HEADERS = ['content-encoding', 'content-length', 'content-range', 'content-type', 'etag', 'location'];
/** What a `Response` may have no body with. */
const EMPTY: readonly number[] = [204, 205, 304];

/**
 * Returns a `fetch` for free requests without a token, to hosts that a user names. It is Node's own, which knows no proxy, unless `env` names one (see
 * {@link readProxies}). Then it takes GET, and POST of a text, follows no redirect, and rejects as Node's does: with the signal's reason, or an error
 * whose `cause.code` says in words why no answer came, such as what is wrong with the proxy. The words never carry the URL.
 */
export function createFetch(env: Environment = process.env): typeof fetch {
  const proxyFor = readProxies(env);
  if (proxyFor === undefined) return fetch;
  const agents = createAgents({ proxyFor }).free;
  return async (input, init) => {
    const request = new Request(input, init);
    const signal = init?.signal ?? undefined;
    const head = await openRequest(request, new URL(request.url), { agents, signal });
    if (head.type === 'answer') return responseOf(head);
    signal?.throwIfAborted();
    throw noResponse(head.cause);
  };
}

/**
 * Returns a `fetch` for media that a manifest names, without a token. A manifest may come from anybody, and the API is
 * to fetch these media itself, so the rules are those of result links: see {@link followRedirects}. Private addresses are allowed only if the
 * API is in a private network too. It follows redirects itself, and rejects as that of {@link createFetch} does.
 *
 * @param apiUrl address of the API; undefined, or none that is one: none is known, so private addresses are refused.
 */
export function createMediaFetch(
  apiUrl: string | undefined,
  { env = process.env, network = SYSTEM_NETWORK }: { readonly env?: Environment; readonly network?: Network } = {},
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
    const { head } = await followRedirects(start, {
      network,
      mayBePrivate: await isApiPrivate(),
      from: 'a manifest',
      open: (url, mayBePrivate) =>
        openRequest(request, url, { agents: mayBePrivate ? agents.free : agents.outside, signal }),
    });
    signal?.throwIfAborted();
    if (head.type === 'answer') return responseOf(head);
    throw head.type === 'dead' ? noResponse(head.why, head.isPrivate) : noResponse(head.cause);
  };
}

/** Opens a free request of a `fetch` at a URL, which may be where it was redirected to. */
async function openRequest(
  request: Request,
  url: URL,
  { agents, signal }: { readonly agents: AgentPair; readonly signal: AbortSignal | undefined },
): ReturnType<typeof makeRequest> {
  return makeRequest({
    method: request.method === 'POST' ? 'POST' : 'GET',
    target: targetOf(url),
    path: url.pathname + url.search,
    // A compressed file would have another length and another tag.
    headers: {
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'node',
      ...Object.fromEntries(request.headers),
    },
    ...(request.body === null ? {} : { body: await request.text() }),
    agents,
    connectTimeoutMs: CONNECT_MS,
    headTimeoutMs: EXCHANGE_MS,
    idleTimeoutMs: EXCHANGE_MS,
    totalTimeoutMs: EXCHANGE_MS,
    maxBytes: Infinity,
    signal,
  });
}

function responseOf(head: AnswerHead): Response {
  const { status, body } = head;
  const isEmpty = EMPTY.includes(status);
  if (isEmpty || status > 599) body.destroy();
  if (status > 599) throw noResponse(`the answer has the status ${status}`);
  const headers = HEADERS.flatMap((name): [string, string][] => {
    const value = head.header(name);
    return value === undefined ? [] : [[name, value]];
  });
  const response = new Response(isEmpty ? null : (Readable.toWeb(body.stream()) as ReadableStream), {
    status,
    headers,
  });
  // As Node's says: mediabunny believes the length of such answers only.
  return Object.defineProperty(response, 'type', { value: 'basic' });
}

/** The rejection of a `fetch` without an answer. `isPrivate`: it was not asked, because its host is in a private network. */
function noResponse(why: string, isPrivate = false): TypeError {
  return new TypeError('fetch failed', { cause: { code: why, isPrivate } });
}
