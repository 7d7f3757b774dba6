import pLimit from 'p-limit';
import type { MediaIdentity } from '../../policy/cache/result-key.ts';
import { type Fetch, fetchMedia, NoMedia } from './probe-media.ts';
import { SilentOrigins } from './silent-origins.ts';

/**
 * Finds out what is behind an http(s) URL; undefined if its server does not tell. Never throws. An `asker` shares answers
 * with its like only.
 */
export type Identify = (url: string, asker?: string) => Promise<MediaIdentity | undefined>;

/** Options of {@link createIdentify}. */
export interface IdentifyOptions {
  /** How many URLs are read at once. Default 8. */
  readonly atOnce?: number;
  /** How long one URL may take, ms. Default 10 s. */
  readonly limitMs?: number;
  /** How long an answer holds, ms: the content may change while the process lives. Default 60 s. */
  readonly holdsMs?: number;
  /** Called with each URL that was not read, because its host is in a private network. */
  readonly onPrivate?: (url: URL) => void;
}

/** Answers beyond this many are forgotten, the oldest first. */
const MOST_KNOWN = 10_000;

interface Known {
  readonly at: number;
  readonly identity: Promise<MediaIdentity | undefined>;
}

/**
 * Creates a reader of media identities: by one free request of a single byte, without any token. It asks for each URL
 * once for each asker, however many rows name it, and a few at a time.
 */
export function createIdentify(
  fetch: Fetch,
  { atOnce = 8, limitMs = 10_000, holdsMs = 60_000, onPrivate }: IdentifyOptions = {},
): Identify {
  const limit = pLimit(atOnce);
  const known = new Map<string, Known>();
  const silent = new SilentOrigins(holdsMs);
  const read = async (url: string): Promise<MediaIdentity | undefined> => {
    const { origin } = new URL(url);
    if (silent.isGivenUp(origin)) return undefined;
    try {
      const identity = await identify(url, limitMs, fetch);
      silent.note(origin, false);
      return identity;
    } catch (error) {
      if (error instanceof NoMedia && error.isPrivate) onPrivate?.(new URL(url));
      else if (isSilence(error)) silent.note(origin, true);
      return undefined;
    }
  };
  return (url, asker = '') => {
    const name = `${asker} ${url}`;
    const before = known.get(name);
    if (before !== undefined && performance.now() - before.at < holdsMs) return before.identity;
    const identity = limit(() => read(url));
    // Re-inserted at the end, so that the first is always the oldest.
    known.delete(name);
    known.set(name, { at: performance.now(), identity });
    if (known.size > MOST_KNOWN) known.delete(known.keys().next().value ?? name);
    return identity;
  };
}

async function identify(url: string, limitMs: number, fetch: Fetch): Promise<MediaIdentity | undefined> {
  const response = await fetchMedia(fetch, url, {
    // With a range, fetch asks for no compression, which has another length and another tag.
    headers: { range: 'bytes=0-0' },
    signal: AbortSignal.timeout(limitMs),
  });
  await response.body?.cancel();
  const etag = response.headers.get('etag') ?? '';
  const bytes = lengthOf(response);
  // A weak tag is the same for contents that are merely alike.
  return /^"[^"]+"$/.test(etag) && bytes !== undefined ? { etag, bytes } : undefined;
}

/** True if there was no answer at all, or none in time. */
function isSilence(error: unknown): boolean {
  return !(error instanceof NoMedia) || error.isSilent;
}

/** The whole length, also where only a part was sent. */
function lengthOf({ status, headers }: Response): number | undefined {
  const text =
    status === 206
      ? /\/(?<bytes>\d+)$/.exec(headers.get('content-range') ?? '')?.groups?.['bytes']
      : (headers.get('content-length') ?? undefined);
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}
