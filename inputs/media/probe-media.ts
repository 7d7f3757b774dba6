import type { Input } from 'mediabunny';
import { oncePerUrl, type OncePerUrlOptions } from './once-per-url.ts';
import { fetchMedia, NoMedia, type Fetch } from './fetch-media.ts';

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

/** Supported formats. No playlists: they name further URLs that nobody asked us to fetch. */
const FORMATS = ['MP4', 'QTFF', 'MATROSKA', 'WEBM', 'WAVE', 'OGG', 'FLAC', 'MP3', 'ADTS', 'MPEG_TS'] as const;
/** Max bytes of a file to cache; beyond that, data is read again if needed. */
const MOST_KEPT = 16 * 1024 ** 2;

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
    // `dispose` aborts it by the signal in `init`.
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

/** Creates a probe for the rows of a manifest: see {@link oncePerUrl}. `probe`: reads one URL. */
export function createProbe(probe: Probe, options?: OncePerUrlOptions): Probe {
  return oncePerUrl<ProbeResult>(
    async (url) => {
      const answer = await probe(url);
      return { answer, isSilent: 'why' in answer && answer.isSilent };
    },
    (failures) => ({ why: `not tried: its server failed to answer ${failures} times`, isSilent: true }),
    options,
  );
}
