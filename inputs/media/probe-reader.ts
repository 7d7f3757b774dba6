import { proxyVariables } from '../../api/proxies.ts';
import { DeadlinePool } from '../../threads/thread-pool.ts';
import { findThreadEntry } from '../../threads/find-entry.ts';
import { type Probe, probeMedia } from './probe-media.ts';
import { createMediaFetch } from '../../api/create-fetch.ts';

/** Start data of the thread that reads media. */
export interface ProbeData {
  /** Address of the API; undefined if none is known. */
  readonly apiUrl?: string | undefined;
  /** Passed along because the thread has no environment. */
  readonly proxies?: Readonly<Record<string, string>>;
}

/** A job of that thread. */
export interface ProbeJob {
  readonly url: string;
}

/** Time limit for reading one URL, in ms. */
export const PROBE_MS = 15_000;
/** Memory of the thread, MB. */
const MOST_MEGABYTES = 512;

/**
 * Measures media behind a manifest's URLs in a thread, started on first use. The files are untrusted and may hang their
 * reader; past the deadline the thread is terminated, and the file's length stays unknown.
 *
 * @param apiUrl address of the API, which says what may be fetched: see {@link createMediaFetch}
 * @param entry compiled `media-thread.ts`; default: found beside this module
 * @param secondMs how long a second of a deadline is, ms; default 1,000
 */
export function createProbeReader(
  apiUrl: string | undefined,
  entry = findThreadEntry(import.meta.url, 'inputs/media-thread'),
  secondMs = 1_000,
): { readonly read: Probe; close(): Promise<void> } {
  const data: ProbeData = { apiUrl, proxies: proxyVariables(process.env) };
  const options = { name: 'probe', entry, data, size: 1, mostMegabytes: MOST_MEGABYTES, secondMs };
  const pool = new DeadlinePool<ProbeJob>(options);
  return {
    read: (url) =>
      pool.run({ url }, 0, {
        here: () => probeMedia(url, PROBE_MS, createMediaFetch(apiUrl)),
        // Counts as a silent server, so that several such files do not cost every row a full timeout.
        unread: (why) => ({ why, isSilent: true }),
      }),
    close: () => pool.close(),
  };
}
