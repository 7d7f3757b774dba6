import type { MediaIdentity } from '../../policy/cache/result-key.ts';
import { askOnce, type AskOptions, type Fetch, fetchMedia, NoMedia } from './probe-media.ts';

/**
 * Creates a reader of what is behind http(s) URLs: by one free request of a single byte, without any token. Undefined if a server does not
 * tell. Never throws. An `asker` shares answers with its like only; they hold for a minute: the content may change while the process lives.
 *
 * @param onPrivate called with each URL that was not read, because its host is in a private network
 */
export function createIdentify(
  fetch: Fetch,
  { onPrivate, ...options }: AskOptions & { readonly onPrivate?: (url: URL) => void } = {},
): (url: string, asker?: string) => Promise<MediaIdentity | undefined> {
  return askOnce<MediaIdentity | undefined>(
    async (url) => {
      try {
        return { answer: await identify(url, fetch), isSilent: false };
      } catch (error) {
        if (error instanceof NoMedia && error.isPrivate) onPrivate?.(new URL(url));
        // There was no answer at all, or none in time.
        const isSilent = !(error instanceof NoMedia) || (error.isSilent && !error.isPrivate);
        return { answer: undefined, isSilent };
      }
    },
    () => undefined,
    { holdsMs: 60_000, ...options },
  );
}

async function identify(url: string, fetch: Fetch): Promise<MediaIdentity | undefined> {
  const response = await fetchMedia(fetch, url, {
    // With a range, fetch asks for no compression, which has another length and another tag.
    headers: { range: 'bytes=0-0' },
    signal: AbortSignal.timeout(10_000),
  });
  await response.body?.cancel();
  const etag = response.headers.get('etag') ?? '';
  const bytes = lengthOf(response);
  // A weak tag is the same for contents that are merely alike.
  return /^"[^"]+"$/.test(etag) && bytes !== undefined ? { etag, bytes } : undefined;
}

/** The whole length, also where only a part was sent. */
function lengthOf({ status, headers }: Response): number | undefined {
  const text =
    status === 206
      ? /\/(?<bytes>\d+)$/.exec(headers.get('content-range') ?? '')?.groups?.['bytes']
      : (headers.get('content-length') ?? undefined);
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}
