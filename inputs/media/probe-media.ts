import pLimit from 'p-limit';
import type { Input } from 'mediabunny';
import type { MediaIdentity } from '../../policy/cache/result-key.ts';

/** The length of a recording in seconds, or a short reason why it is unknown. Never includes the URL. */
export type ProbeResult =
  | { readonly seconds: number }
  | {
      readonly why: string;
      /** True if the server did not answer, or not in time. */
      readonly isSilent: boolean;
    };

/** Finds out the length of the media behind an http(s) URL. Never throws. */
export type Probe = (url: string) => Promise<ProbeResult>;

/** Node's `fetch`, except for its own redirect rules: see `createMediaFetch`. */
export type Fetch = typeof fetch;

/** Supported formats. No playlists: they name further URLs that nobody asked us to fetch. */
const FORMATS = ['MP4', 'QTFF', 'MATROSKA', 'WEBM', 'WAVE', 'OGG', 'FLAC', 'MP3', 'ADTS', 'MPEG_TS'] as const;
/** Max bytes of a file to cache; beyond that, data is read again if needed. */
const MOST_KEPT = 16 * 1024 ** 2;

/** Why there is no media to read, in words for the user. */
class NoMedia extends Error {
  readonly isSilent: boolean;
  /** True if its host was not contacted because it is in a private network. */
  readonly isPrivate: boolean;

  constructor(message: string, { isSilent = false, isPrivate = false } = {}) {
    super(message);
    this.isSilent = isSilent;
    this.isPrivate = isPrivate;
  }
}

/**
 * Reads only as much of the media behind a URL as it takes to find the length: a few range requests if the server
 * supports them, otherwise from the start. Trusts a length stated in the header; otherwise counts the frames. Sends no
 * token, and ends after at most `limitMs`.
 */
export async function probeMedia(url: string, limitMs: number, fetch: Fetch): Promise<ProbeResult> {
  // 1.5 MB of code, which no other command needs.
  const library = await import('mediabunny');
  const { Logging, LogLevel, UnsupportedInputFormatError, UrlSource } = library;
  // The library warns on the console where a server does not support ranges.
  Logging.level = LogLevel.Silent;
  const deadline = AbortSignal.timeout(limitMs);
  const source = new UrlSource(url, {
    fetchFn: (to, init) => fetchMedia(fetch, to, init),
    getRetryDelay: () => null,
    maxCacheSize: MOST_KEPT,
    parallelism: 1,
    // Errors from reads that `dispose` cut off do not matter.
    handleUnhandledError: () => undefined,
  });
  const input = new library.Input({ formats: FORMATS.map((format) => library[format]), source });
  try {
    const seconds = await Promise.race([measure(input), rejectAt(deadline)]);
    if (!Number.isFinite(seconds) || seconds <= 0) return { why: 'its length cannot be determined', isSilent: false };
    return { seconds };
  } catch (error) {
    if (deadline.aborted) return { why: `no length after ${limitMs / 1000} s`, isSilent: true };
    return describe(error, error instanceof UnsupportedInputFormatError);
  } finally {
    input.dispose();
  }
}

async function measure(input: Input): Promise<number> {
  return (await input.getDurationFromMetadata()) ?? (await input.computeDuration());
}

/** Throws {@link NoMedia} where there is no media. `dispose` aborts it by the signal in `init`. */
async function fetchMedia(fetch: Fetch, to: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(to, init).catch(refuseUnreachable);
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isPage = /^(?:text\/html|application\/(?:json|xml|xhtml\+xml)|text\/xml)$/.test(type);
  if (response.ok && !isPage) return response;
  await response.body?.cancel();
  throw new NoMedia(response.ok ? `answers ${type} rather than media` : `answers ${response.status}`);
}

function rejectAt(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('out of time'));
    });
  });
}

/** Describes an error in our own words: a library's message may hold the signed URL. */
function describe(error: unknown, isUnsupported: boolean): ProbeResult {
  if (error instanceof NoMedia) return { why: error.message, isSilent: error.isSilent };
  return { why: isUnsupported ? 'not a media type that voxbatch can read' : 'cannot be read', isSilent: false };
}

function refuseUnreachable(error: unknown): never {
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  const { code, isPrivate } = (cause ?? {}) as { readonly code?: string; readonly isPrivate?: unknown };
  const why = code === undefined ? '' : ` (${code})`;
  throw new NoMedia(`cannot be reached${why}`, { isSilent: true, isPrivate: isPrivate === true });
}

/** Creates a probe for the rows of a manifest: see {@link askOnce}. `probe`: reads one URL. */
export function createProbe(probe: Probe, options?: AskOptions): Probe {
  return askOnce<ProbeResult>(
    async (url) => {
      const answer = await probe(url);
      return { answer, isSilent: 'why' in answer && answer.isSilent };
    },
    (failures) => ({ why: `not tried: its server failed to answer ${failures} times`, isSilent: true }),
    options,
  );
}

/** After this many unanswered requests in a row, an origin is given up. */
const PATIENCE = 5;

/** Answers beyond this many are forgotten, the oldest first. */
const MOST_KNOWN = 10_000;

/** Options of {@link askOnce}. */
export interface AskOptions {
  /** Max URLs read concurrently. Default 8. */
  readonly atOnce?: number;
  /** How long answers are cached and an origin's silence is remembered, in ms. Default: for the life of the process. */
  readonly holdsMs?: number;
}

/**
 * Asks about each URL once per asker, however many rows name it, with limited concurrency. An origin that is down must
 * not cost every row a full timeout, so after five failures in a row the answer is `givenUp`.
 *
 * @param read never throws; `isSilent`: there was no answer at all, or none in time
 */
function askOnce<Answer>(
  read: (url: string) => Promise<{ readonly answer: Answer; readonly isSilent: boolean }>,
  givenUp: (failures: number) => Answer,
  { atOnce = 8, holdsMs = Infinity }: AskOptions = {},
): (url: string, asker?: string) => Promise<Answer> {
  const limit = pLimit(atOnce);
  const known = new Map<string, { readonly at: number; readonly answer: Promise<Answer> }>();
  const silent = new Map<string, { readonly at: number; readonly times: number }>();
  const failuresOf = (origin: string): number => {
    const found = silent.get(origin);
    return found === undefined || performance.now() - found.at > holdsMs ? 0 : found.times;
  };
  const ask = async (url: string): Promise<Answer> => {
    const { origin } = new URL(url);
    if (failuresOf(origin) >= PATIENCE) return givenUp(PATIENCE);
    const { answer, isSilent } = await read(url);
    if (isSilent) silent.set(origin, { at: performance.now(), times: failuresOf(origin) + 1 });
    else silent.delete(origin);
    return answer;
  };
  return (url, asker = '') => {
    const name = `${asker} ${url}`;
    const before = known.get(name);
    if (before !== undefined && performance.now() - before.at < holdsMs) return before.answer;
    const answer = limit(() => ask(url));
    // Re-inserted at the end, so that the first is always the oldest.
    known.delete(name);
    known.set(name, { at: performance.now(), answer });
    if (known.size > MOST_KNOWN) known.delete(known.keys().next().value ?? name);
    return answer;
  };
}

/**
 * Creates a function that identifies the media behind an http(s) URL, with one free single-byte request and no token.
 * It returns undefined if the server does not identify the content, and never throws. Answers are cached per `asker`,
 * for a minute only, because the content may change.
 *
 * @param onPrivate called with each URL that was skipped because its host is in a private network
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

/** The full length, even of a partial response. */
function lengthOf({ status, headers }: Response): number | undefined {
  const text =
    status === 206
      ? /\/(?<bytes>\d+)$/.exec(headers.get('content-range') ?? '')?.groups?.['bytes']
      : (headers.get('content-length') ?? undefined);
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}
