/** Node's `fetch`, except for its own redirect rules: see `createMediaFetch`. */
export type Fetch = typeof fetch;

/** Why there is no media to read, in words for the user. */
export class NoMedia extends Error {
  readonly isSilent: boolean;
  /** True if its host was not contacted because it is in a private network. */
  readonly isPrivate: boolean;

  constructor(message: string, { isSilent = false, isPrivate = false } = {}) {
    super(message);
    this.isSilent = isSilent;
    this.isPrivate = isPrivate;
  }
}

/** Fetches media. Throws {@link NoMedia} where there is none. */
export async function fetchMedia(fetch: Fetch, to: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(to, init).catch(refuseUnreachable);
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isPage = /^(?:text\/html|application\/(?:json|xml|xhtml\+xml)|text\/xml)$/.test(type);
  if (response.ok && !isPage) return response;
  await response.body?.cancel();
  throw new NoMedia(response.ok ? `answers ${type} rather than media` : `answers ${response.status}`);
}

function refuseUnreachable(error: unknown): never {
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  const { code, isPrivate } = (cause ?? {}) as { readonly code?: string; readonly isPrivate?: unknown };
  const why = code === undefined ? '' : ` (${code})`;
  throw new NoMedia(`cannot be reached${why}`, { isSilent: true, isPrivate: isPrivate === true });
}
