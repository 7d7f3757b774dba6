import type { Input } from 'mediabunny';
import { oncePerUrl, type OncePerUrlOptions } from './once-per-url.ts';
import { fetchMedia, NoMedia, type Fetch } from './fetch-media.ts';

/**
 * The duration of media in seconds, or why it is unknown: a clause after the name of the cell, such as `cannot be
 * reached`. Never includes the URL, which may be secret.
 */
export type ProbeResult =
  | { readonly seconds: number }
  | {
      readonly why: string;
      /** Whether the server did not answer, or not in time. */
      readonly isSilent: boolean;
    };

/** Measures the duration of the media behind an http(s) URL (`--probe`). Never throws. */
export type Probe = (url: string) => Promise<ProbeResult>;

/** Creates the probe for the rows of a manifest, which measures each URL once: see {@link oncePerUrl}. */
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

/**
 * Supported formats, by their names in the library. No playlists: they refer to further URLs, which the user did not
 * name.
 */
const FORMATS = ['MP4', 'QTFF', 'MATROSKA', 'WEBM', 'WAVE', 'OGG', 'FLAC', 'MP3', 'ADTS', 'MPEG_TS'] as const;
/** Max bytes of a file to keep in memory; what is needed again beyond that is fetched again. */
const MAX_KEPT = 16 * 1024 ** 2;

/**
 * Measures the duration of the media behind one URL. Runs in the media thread (`probe-reader.ts`), because malicious
 * media may hang it. Fetches only as much as needed: a few ranges if the server supports them, otherwise from the
 * start. Trusts a duration stated in the header; otherwise counts the frames. Sends no token. Ends after at most
 * `limitMs`.
 */
export async function probeMedia(url: string, limitMs: number, fetch: Fetch): Promise<ProbeResult> {
  // Loaded lazily: 1.5 MB of code that few commands need.
  const library = await import('mediabunny');
  const { Logging, LogLevel, UnsupportedInputFormatError, UrlSource } = library;
  // The library would warn on the console about servers without range requests.
  Logging.level = LogLevel.Silent;
  const deadline = AbortSignal.timeout(limitMs);
  const source = new UrlSource(url, {
    // `dispose` below aborts running requests by the signal in `init`.
    fetchFn: (to, init) => fetchMedia(fetch, to, init),
    getRetryDelay: () => null,
    maxCacheSize: MAX_KEPT,
    parallelism: 1,
    // Errors of reads that `dispose` aborted do not matter.
    handleUnhandledError: () => undefined,
  });
  const input = new library.Input({ formats: FORMATS.map((format) => library[format]), source });
  try {
    const seconds = await Promise.race([measure(input), rejectOnAbort(deadline)]);
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

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('out of time'));
    });
  });
}

/** Describes an error without the library's message, which may contain a signed URL. */
function describe(error: unknown, isUnsupported: boolean): ProbeResult {
  if (error instanceof NoMedia) return { why: error.message, isSilent: error.isSilent };
  return { why: isUnsupported ? 'not a media type that voxbatch can read' : 'cannot be read', isSilent: false };
}
