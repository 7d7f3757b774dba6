import type { Connection } from './connection.ts';
import type { AnswerHead, NoAnswer } from './http.ts';
import { PRIVATE_HOST } from './network.ts';

/** Max redirects per link. */
const MOST_REDIRECTS = 5;

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** A link that may not be followed, or leads nowhere. */
export interface DeadLink {
  readonly type: 'dead';
  /** A clause for the user. */
  readonly why: string;
  /** The same in a few words. */
  readonly cause: string;
}

/** The answer behind a link, and all addresses on the way, in order. */
export interface OpenedLink {
  readonly hops: readonly [URL, ...URL[]];
  readonly head: AnswerHead | NoAnswer | DeadLink;
}

/**
 * Opens a result link and follows its redirects: http(s) only, five at most.
 *
 * A link and its redirects come from outside. Neither may make this machine contact hosts that the sender cannot reach.
 * So private addresses are allowed only if the API is in a private network too, and no longer once the way passed a
 * public host. The token goes to the API's own origin, and no longer once the way has left it.
 */
export async function openLink(
  connection: Connection,
  link: URL,
  signal: AbortSignal | undefined,
): Promise<OpenedLink> {
  const hops: [URL, ...URL[]] = [link];
  let mayBePrivate = await connection.isPrivate();
  let isOwn = true;
  for (let url = link; ;) {
    isOwn &&= url.origin === connection.origin;
    const head = await connection.open(url, { isOwn, mayBePrivate, signal });
    if (head.type === 'no-answer') return { hops, head: head.code === PRIVATE_HOST ? PRIVATE : head };
    if (!REDIRECTS.includes(head.status)) return { hops, head };
    const from = head.remoteAddress();
    head.body.destroy();
    if (hops.length > MOST_REDIRECTS) return { hops, head: TOO_MANY };
    const next = readLink(head.header('location') ?? '', url.href);
    if (next === undefined) return { hops, head: NO_TARGET };
    mayBePrivate &&= from !== undefined && connection.isPrivateAddress(from);
    hops.push(next);
    url = next;
  }
}

const PRIVATE: DeadLink = {
  type: 'dead',
  why: 'its host is in a private network, where a link from outside must not lead; nothing was asked there',
  cause: 'a link into a private network',
};
const TOO_MANY: DeadLink = {
  type: 'dead',
  why: `it was redirected more than ${MOST_REDIRECTS} times`,
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
