import { Readable } from 'node:stream';
import { type AgentPair, createAgents } from './agents.ts';
import { targetOf } from './exchange.ts';
import { followRedirects, readLink } from './follow-redirects.ts';
import { type AnswerHead, makeRequest } from './http.ts';
import { privacyOf, SYSTEM_NETWORK, type Network } from './network.ts';
import { readProxies } from './proxies.ts';

type Environment = Parameters<typeof readProxies>[0];

/** Limits for connecting and for the rest of an exchange, in ms, as in Node's `fetch`. */
const CONNECT_MS = 10_000;
const EXCHANGE_MS = 300_000;

/** The answer's headers that a `Response` gets. */
const HEADERS = ['content-encoding', 'content-length', 'content-range', 'content-type', 'etag', 'location'];
/** Statuses for which `Response` allows no body. */
const EMPTY: readonly number[] = [204, 205, 304];

/**
 * Returns a `fetch` for free requests without a token, to hosts that a user names. Without a proxy in `env` (see
 * {@link readProxies}) it is Node's own, which supports none. Otherwise it supports GET and POST of a text, follows no
 * redirects, and rejects like Node's: with the signal's reason, or an error whose `cause.code` explains why no answer
 * came, such as a problem with the proxy. The explanation never includes the URL.
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
 * Returns a `fetch` for media that a manifest names, without a token. A manifest is untrusted, and the API must be able
 * to fetch these media itself, so the rules for result links apply: see {@link followRedirects}. Private addresses are
 * allowed only if the API is in a private network too. It follows redirects, and rejects like {@link createFetch}'s.
 *
 * @param apiUrl address of the API; if undefined or invalid, private addresses are refused.
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

/** Opens a free request at a URL, possibly a redirect's target. */
async function openRequest(
  request: Request,
  url: URL,
  { agents, signal }: { readonly agents: AgentPair; readonly signal: AbortSignal | undefined },
): ReturnType<typeof makeRequest> {
  return makeRequest({
    method: request.method === 'POST' ? 'POST' : 'GET',
    target: targetOf(url),
    path: url.pathname + url.search,
    // A compressed file would have a different length and ETag.
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
  // As in Node: mediabunny trusts the length only of answers of this type.
  return Object.defineProperty(response, 'type', { value: 'basic' });
}

/**
 * The rejection of a `fetch` without an answer. `isPrivate`: the host was not contacted because it is in a private
 * network.
 */
function noResponse(why: string, isPrivate = false): TypeError {
  return new TypeError('fetch failed', { cause: { code: why, isPrivate } });
}
