/** A function like Node's `fetch`, but with our rules for redirects and private networks: see `createMediaFetch`. */
export type Fetch = typeof fetch;

/** There are no media at a URL. The message says why, as a clause after the name of the cell. */
export class NoMedia extends Error {
  /** Whether the server could not be reached. */
  readonly isSilent: boolean;
  /** Whether its host was not contacted because it is in a private network. */
  readonly isPrivate: boolean;

  constructor(message: string, { isSilent = false, isPrivate = false } = {}) {
    super(message);
    this.isSilent = isSilent;
    this.isPrivate = isPrivate;
  }
}

/** Sends a request for media. Throws {@link NoMedia} if the URL cannot be reached, or answers an error or a page. */
export async function fetchMedia(fetch: Fetch, to: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(to, init).catch(refuseUnreachable);
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isPage = /^(?:text\/html|application\/(?:json|xml|xhtml\+xml)|text\/xml)$/.test(type);
  if (response.ok && !isPage) return response;
  await response.body?.cancel();
  throw new NoMedia(response.ok ? `answers ${type} rather than media` : `answers ${response.status}`);
}

/** Throws {@link NoMedia} for an error of `fetch`. */
function refuseUnreachable(error: unknown): never {
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  const { code, isPrivate } = (cause ?? {}) as { readonly code?: string; readonly isPrivate?: unknown };
  const why = code === undefined ? '' : ` (${code})`;
  throw new NoMedia(`cannot be reached${why}`, { isSilent: true, isPrivate: isPrivate === true });
}
