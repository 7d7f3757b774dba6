import type { Connection } from './connection.ts';
import type { AnswerHead, NoAnswer } from './http.ts';
import { followRedirects, MOST_REDIRECTS } from './follow-redirects.ts';
import { PRIVATE_HOST } from './network.ts';

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
 * A link and its redirects come from outside, so private addresses are allowed only if the API is in a private network
 * too, and no longer once the way passed a public host (`follow-redirects.ts`). The token goes to the API's own origin, and no longer once the way has left it.
 */
export async function openLink(
  connection: Connection,
  link: URL,
  signal: AbortSignal | undefined,
): Promise<OpenedLink> {
  let isOwn = true;
  const { hops, end } = await followRedirects<never>(link, {
    mayBePrivate: await connection.isPrivate(),
    isPrivateAddress: (address) => connection.isPrivateAddress(address),
    open: (url, mayBePrivate) => {
      isOwn &&= url.origin === connection.origin;
      return connection.open(url, { isOwn, mayBePrivate, signal });
    },
  });
  switch (end.type) {
    case 'too-many':
      return { hops, head: TOO_MANY };
    case 'no-target':
      return { hops, head: NO_TARGET };
    case 'no-answer':
      return { hops, head: end.code === PRIVATE_HOST ? PRIVATE : end };
    case 'answer':
      return { hops, head: end };
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
