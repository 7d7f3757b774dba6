import type { MediaIdentity } from '../../policy/cache/result-key.ts';
import { oncePerUrl, type OncePerUrlOptions } from './once-per-url.ts';
import { fetchMedia, NoMedia, type Fetch } from './fetch-media.ts';

/**
 * Creates a function that identifies the content behind an http(s) URL by ETag and length, with one request for a
 * single byte, without any token. Used to find earlier results of the same media. It returns undefined if the server
 * does not identify the content, and never throws. Answers are cached per `scope`, for a minute only, because the
 * content may change.
 *
 * @param onPrivate called with each URL that was skipped because its host is in a private network
 */
export function createIdentify(
  fetch: Fetch,
  { onPrivate, ...options }: OncePerUrlOptions & { readonly onPrivate?: (url: URL) => void } = {},
): (url: string, scope?: string) => Promise<MediaIdentity | undefined> {
  return oncePerUrl<MediaIdentity | undefined>(
    async (url) => {
      try {
        return { answer: await identify(url, fetch), isSilent: false };
      } catch (error) {
        if (error instanceof NoMedia && error.isPrivate) onPrivate?.(new URL(url));
        // Any other error is a timeout.
        const isSilent = !(error instanceof NoMedia) || (error.isSilent && !error.isPrivate);
        return { answer: undefined, isSilent };
      }
    },
    () => undefined,
    { holdsMs: 60_000, ...options },
  );
}

/** Sends the request for one URL. Throws {@link NoMedia}, or an error after a timeout. */
async function identify(url: string, fetch: Fetch): Promise<MediaIdentity | undefined> {
  const response = await fetchMedia(fetch, url, {
    // With a range, fetch requests no compression, which would change length and ETag.
    headers: { range: 'bytes=0-0' },
    signal: AbortSignal.timeout(10_000),
  });
  await response.body?.cancel();
  const etag = response.headers.get('etag') ?? '';
  const bytes = lengthOf(response);
  // Weak ETags only promise equivalent content, not equal bytes.
  return /^"[^"]+"$/.test(etag) && bytes !== undefined ? { etag, bytes } : undefined;
}

/** Returns the length of the complete content, even for a partial response; undefined if it is not stated. */
function lengthOf({ status, headers }: Response): number | undefined {
  const text =
    status === 206
      ? /\/(?<bytes>\d+)$/.exec(headers.get('content-range') ?? '')?.groups?.['bytes']
      : (headers.get('content-length') ?? undefined);
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}
