import { proxyVariables } from '../../api/proxies.ts';
import { DeadlinePool } from '../../threads/thread-pool.ts';
import { findThreadEntry } from '../../threads/find-entry.ts';
import { type Probe, probeMedia } from './probe-media.ts';
import { createMediaFetch } from '../../api/create-fetch.ts';

/** Data that the media thread starts with. */
export interface ProbeData {
  /** URL of the API; undefined if none is known. */
  readonly apiUrl?: string | undefined;
  /** Environment variables for proxies; the thread has no environment of its own. */
  readonly proxies?: Readonly<Record<string, string>>;
}

/** A job of the media thread: measure the media behind a URL. */
export interface ProbeJob {
  readonly url: string;
}

/** Time limit for reading one URL, in ms. */
export const PROBE_MS = 15_000;
/** Memory limit of the thread, in MB. */
const MAX_MEGABYTES = 512;

/**
 * Creates a probe that measures media in a thread, which starts with the first URL. Media are untrusted, and may hang
 * their reader: after a deadline, the thread is terminated, and the duration stays unknown. The caller closes it.
 *
 * @param apiUrl URL of the API, which decides what may be fetched: see {@link createMediaFetch}
 * @param entry compiled `media-thread.ts`; default: found beside this module
 * @param secondMs how long a second of a deadline is, ms; default 1,000
 */
export function createProbeReader(
  apiUrl: string | undefined,
  entry = findThreadEntry(import.meta.url, 'inputs/media-thread'),
  secondMs = 1_000,
): { readonly read: Probe; close(): Promise<void> } {
  const data: ProbeData = { apiUrl, proxies: proxyVariables(process.env) };
  const options = { name: 'probe', entry, data, size: 1, maxMegabytes: MAX_MEGABYTES, secondMs };
  const pool = new DeadlinePool<ProbeJob>(options);
  return {
    read: (url) =>
      pool.run({ url }, 0, {
        runHere: () => probeMedia(url, PROBE_MS, createMediaFetch(apiUrl)),
        // Counts as a silent server, so that several such files do not cost every row a full timeout.
        unread: (why) => ({ why, isSilent: true }),
      }),
    close: () => pool.close(),
  };
}
