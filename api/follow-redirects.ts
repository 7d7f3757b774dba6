import type { AnswerHead, NoAnswer } from './http.ts';

/** Max redirects on one way. */
export const MOST_REDIRECTS = 5;

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** How to follow a URL that came from outside. */
export interface Follow<Refused> {
  /** Opens a URL, or refuses to. `mayBePrivate`: whether its host may have a private address. */
  readonly open: (url: URL, mayBePrivate: boolean) => Promise<AnswerHead | NoAnswer | Refused>;
  /** Whether the first host may have a private address. */
  readonly mayBePrivate: boolean;
  readonly isPrivateAddress: (address: string) => boolean;
}

/** All addresses on the way, in order, and what its end is: an answer, or why there is none. */
export interface Followed<Refused> {
  readonly hops: readonly [URL, ...URL[]];
  readonly end: AnswerHead | NoAnswer | Refused | { readonly type: 'too-many' | 'no-target' };
}

/**
 * Opens a URL and follows its redirects: http(s) only, five at most. Neither the URL nor a redirect may make this machine
 * contact hosts that the sender cannot reach: private addresses are allowed no longer once the way passed a public host.
 */
export async function followRedirects<Refused extends { readonly type: 'refused' }>(
  start: URL,
  { open, isPrivateAddress, ...first }: Follow<Refused>,
): Promise<Followed<Refused>> {
  const hops: [URL, ...URL[]] = [start];
  let { mayBePrivate } = first;
  for (let url = start; ;) {
    const head = await open(url, mayBePrivate);
    if (head.type === 'no-answer' || head.type === 'refused' || !REDIRECTS.includes(head.status)) {
      return { hops, end: head };
    }
    const from = head.remoteAddress();
    head.body.destroy();
    if (hops.length > MOST_REDIRECTS) return { hops, end: { type: 'too-many' } };
    const next = readLink(head.header('location') ?? '', url.href);
    if (next === undefined) return { hops, end: { type: 'no-target' } };
    mayBePrivate &&= from !== undefined && isPrivateAddress(from);
    hops.push(next);
    url = next;
  }
}

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
