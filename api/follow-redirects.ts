import { targetOf } from './exchange.ts';
import type { AnswerHead, NoAnswer } from './http.ts';
import { isPrivateLiteral, PRIVATE_HOST, type Network } from './network.ts';

/** Max redirects. */
const MAX_REDIRECTS = 5;

/** Statuses that redirect. */
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** How to follow a URL that came from outside. */
export interface Follow {
  readonly network: Pick<Network, 'isPrivate'>;
  /** Whether the first host may have a private address. */
  readonly mayBePrivate: boolean;
  /** An origin that may be contacted whatever its address. Default: none. */
  readonly own?: string;
  /** Where the URL came from, as a subject: `a link from outside`. */
  readonly from: string;
  /** Opens a URL. `mayBePrivate`: whether its host may have a private address; otherwise connect to none. */
  readonly open: (url: URL, mayBePrivate: boolean) => Promise<AnswerHead | NoAnswer | DeadLink>;
}

/** A link that may not be followed, or leads nowhere. */
export interface DeadLink {
  readonly type: 'dead';
  /** A clause for the user. */
  readonly why: string;
  /** A shorter form for counting. */
  readonly cause: string;
  /** True if its host was not contacted because it is in a private network. */
  readonly isPrivate?: true;
}

/**
 * Opens a URL and follows its redirects: http(s) only, five at most. Neither the URL nor a redirect may make this
 * machine contact hosts that the sender cannot reach: once a public host was passed, private addresses are no longer
 * allowed. Returns all addresses on the path, in order, and the final answer.
 */
export async function followRedirects(
  start: URL,
  { network, own, from, open, ...first }: Follow,
): Promise<{ readonly hops: readonly [URL, ...URL[]]; readonly head: AnswerHead | NoAnswer | DeadLink }> {
  const hops: [URL, ...URL[]] = [start];
  const inPrivate: DeadLink = {
    type: 'dead',
    why: `its host is in a private network, where ${from} must not lead; nothing was asked there`,
    cause: 'a link into a private network',
    isPrivate: true,
  };
  let { mayBePrivate } = first;
  for (let url = start; ;) {
    const isFree = mayBePrivate || url.origin === own;
    if (!isFree && isPrivateLiteral(network, targetOf(url).hostname)) return { hops, head: inPrivate };
    const head = await open(url, isFree);
    if (head.type === 'no-answer' && head.code === PRIVATE_HOST) return { hops, head: inPrivate };
    if (head.type !== 'answer' || !REDIRECTS.includes(head.status)) return { hops, head };
    const address = head.remoteAddress();
    head.body.destroy();
    if (hops.length > MAX_REDIRECTS) return { hops, head: TOO_MANY };
    const next = readLink(head.header('location') ?? '', url.href);
    if (next === undefined) return { hops, head: NO_TARGET };
    mayBePrivate &&= address !== undefined && network.isPrivate(address);
    hops.push(next);
    url = next;
  }
}

const TOO_MANY: DeadLink = {
  type: 'dead',
  why: `it was redirected more than ${MAX_REDIRECTS} times`,
  cause: 'too many redirects',
};
const NO_TARGET: DeadLink = {
  type: 'dead',
  why: 'it was redirected to something that is not an http(s) URL',
  cause: 'a redirect to no http(s) link',
};

/** Parses an http(s) URL without credentials; a relative link is resolved against the base. */
export function readLink(link: string, base: string): URL | undefined {
  try {
    if (link === '') return undefined;
    const url = new URL(link, base);
    const isHttp = url.protocol === 'https:' || url.protocol === 'http:';
    return isHttp && url.username === '' && url.password === '' ? url : undefined;
  } catch {
    return undefined;
  }
}
