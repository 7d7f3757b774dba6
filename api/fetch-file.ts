import { setTimeout as sleep } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { isLoopback } from '../contract/urls.ts';
import { closeIdle, createAgents, type Agents } from './agents.ts';
import { targetOf } from './exchange.ts';
import { followRedirects, readLink, type DeadLink } from './follow-redirects.ts';
import { makeRequest, type AnswerHead, type NoAnswer } from './http.ts';
import { SYSTEM_NETWORK, type Network } from './network.ts';

/** Options of {@link fetchFile}. */
export interface FetchOptions {
  /** `User-Agent`, e.g. `voxbatch/0.1.0`. */
  readonly userAgent: string;
  /** Largest file, bytes. Default 512 MiB. */
  readonly maxBytes?: number;
  /** Time limit for one attempt, in ms. Default 10 minutes. */
  readonly totalMs?: number;
  /** Time limit for the connection and the answer's head, and for a silence within its body, in ms. Default 30 s. */
  readonly silenceMs?: number;
  /** Pauses between retries of temporary failures, in ms. Default 1, 5 and 15 s. */
  readonly pausesMs?: readonly number[];
  /** Name resolution, and the definition of private addresses. */
  readonly network?: Network;
}

/** Outcome of a fetch. `etag` is the server's, as sent. `why` is a human-readable clause without the URL's query. */
export type FetchedFile =
  { readonly type: 'fetched'; readonly etag: string | null } | { readonly type: 'failed'; readonly why: string };

/** Statuses of temporary failures. */
const TEMPORARY: readonly number[] = [408, 425, 429, 500, 502, 503, 504];

/**
 * Fetches a file from a user-given URL and passes its body to `receive`, once per attempt. Sends no token and no
 * cookies.
 *
 * https only, on every hop; http is allowed for loopback. The user may name a host in a private network, but a public
 * host must not redirect there, because it could make this machine contact hosts that the other side cannot reach.
 */
export async function fetchFile(
  url: string,
  receive: (body: Readable) => Promise<void>,
  options: FetchOptions,
): Promise<FetchedFile> {
  const { pausesMs = [1_000, 5_000, 15_000], network = SYSTEM_NETWORK } = options;
  const agents = createAgents({ network });
  try {
    for (let tries = 0; ; tries++) {
      const tried = await fetchOnce(url, receive, { ...options, network, agents });
      const pause = pausesMs[tries];
      if (tried.type === 'fetched') return tried;
      if (!tried.mayPass || pause === undefined) return { type: 'failed', why: tried.why };
      await sleep(pause);
    }
  } finally {
    closeIdle(agents);
  }
}

/** `mayPass`: the failure may be temporary. */
type Tried =
  | Extract<FetchedFile, { readonly type: 'fetched' }>
  | { readonly type: 'failed'; readonly why: string; readonly mayPass: boolean };

type Wire = FetchOptions & { readonly network: Network; readonly agents: Agents };

async function fetchOnce(url: string, receive: (body: Readable) => Promise<void>, wire: Wire): Promise<Tried> {
  const start = readLink(url, url);
  if (start === undefined) return failed('it is not an http(s) URL');
  const { hops, head } = await followRedirects(start, {
    network: wire.network,
    mayBePrivate: true,
    from: 'a redirect from outside',
    open: async (to, mayBePrivate) =>
      to.protocol === 'http:' && !isLoopback(to.hostname) ? NOT_SECURE : open(to, mayBePrivate, wire),
  });
  if (head === NOT_SECURE && hops.length === 1) return failed('it is not https');
  if (head.type === 'dead') return failed(head.why);
  if (head.type === 'no-answer') return failed(`there was no answer (${head.cause})`, true);
  const { body, status } = head;
  try {
    if (status !== 200) return failed(`the server answered ${status}`, TEMPORARY.includes(status));
    const stream = body.stream();
    // A broken body has `cut` set; any other error is the receiver's own.
    await receive(stream).catch((error: unknown) => {
      if (body.cut === undefined) throw error;
    });
    return body.cut === undefined
      ? { type: 'fetched', etag: head.header('etag') ?? null }
      : failed(body.cut.message, !body.cut.message.includes('larger than'));
  } finally {
    body.destroy();
  }
}

const NOT_SECURE: DeadLink = {
  type: 'dead',
  why: 'it was redirected to http, which anybody on the way can change',
  cause: 'a redirect to http',
};

function open(url: URL, mayBePrivate: boolean, wire: Wire): Promise<AnswerHead | NoAnswer> {
  const { agents, userAgent, maxBytes = 512 * 1024 ** 2, totalMs = 600_000, silenceMs = 30_000 } = wire;
  return makeRequest({
    method: 'GET',
    target: targetOf(url),
    path: url.pathname + url.search,
    headers: { 'User-Agent': userAgent, Accept: 'text/csv, application/x-ndjson, text/*;q=0.9, */*;q=0.5' },
    agents: mayBePrivate ? agents.free : agents.outside,
    connectTimeoutMs: silenceMs,
    headTimeoutMs: silenceMs,
    idleTimeoutMs: silenceMs,
    totalTimeoutMs: totalMs,
    maxBytes,
  });
}

function failed(why: string, mayPass = false): Tried {
  return { type: 'failed', why, mayPass };
}
