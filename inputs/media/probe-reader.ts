import { proxyVariables } from '../../api/proxies.ts';
import { DeadlinePool } from '../../threads/thread-pool.ts';
import { findThreadEntry } from '../../threads/find-entry.ts';
import { type Probe, probeMedia } from './probe-media.ts';
import { createMediaFetch } from '../../api/create-fetch.ts';

/** What the thread that reads media is started with. */
export interface ProbeData {
  /** Address of the API; undefined if none is known. */
  readonly apiUrl?: string | undefined;
  /** The thread has no environment of its own. */
  readonly proxies?: Readonly<Record<string, string>>;
}

/** A job of that thread. */
export interface ProbeJob {
  readonly url: string;
}

/** How long the server of one URL may take, ms. */
export const PROBE_MS = 15_000;
/** Memory of the thread, MB. */
const MOST_MEGABYTES = 512;

/**
 * Reads the lengths of media behind URLs of a manifest in a thread, which the first one starts: anybody may have made
 * the files, and one can hang whoever reads it. Past its deadline the thread is ended, and such a file has no length.
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
        // As with a server that is silent: several of them must not cost every row so much time.
        unread: (why) => ({ why, isSilent: true }),
      }),
    close: () => pool.close(),
  };
}
