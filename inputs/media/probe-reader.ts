import { createMediaFetch } from '../../api/create-media-fetch.ts';
import { proxyVariables } from '../../api/proxies.ts';
import { DeadlinePool, whyUnread } from '../../threads/deadline-pool.ts';
import { findThreadEntry } from '../../threads/find-entry.ts';
import { ThreadDied } from '../../threads/pool-thread.ts';
import { type Probe, probeMedia, type ProbeResult } from './probe-media.ts';

/** What the thread that reads media is started with. */
export interface ProbeData {
  /** Address of the API; undefined if none is known. */
  readonly apiUrl: string | undefined;
  /** The thread has no environment of its own. */
  readonly proxies: Readonly<Record<string, string>>;
}

/** A job of that thread. */
export interface ProbeJob {
  readonly url: string;
}

/** Reads the lengths of media. */
export interface ProbeReader {
  readonly read: Probe;
  /** Ends the thread. Whatever is read afterwards starts another one. */
  close(): Promise<void>;
}

/** How long the server of one URL may take, ms. */
export const PROBE_MS = 15_000;
/** Memory of the thread, MB. */
const MOST_MEGABYTES = 512;

/**
 * Reads the lengths of media behind URLs of a manifest in a thread, which the first one starts: anybody may have made
 * the files, and one can hang whoever reads it. Past its deadline the thread is ended, and such a file has no length. If
 * no thread can start, because the code runs from its TypeScript source, the calling thread does the work.
 *
 * @param apiUrl address of the API, which says what may be fetched: see {@link createMediaFetch}
 * @param entry compiled `probe-thread.ts`; default: found beside this module
 * @param secondMs how long a second of a deadline is, ms; default 1,000
 */
export function createProbeReader(
  apiUrl: string | undefined,
  entry = findThreadEntry(import.meta.url, 'inputs/probe-thread'),
  secondMs = 1_000,
): ProbeReader {
  const readHere: Probe = (url) => probeMedia(url, PROBE_MS, createMediaFetch(apiUrl));
  if (entry === undefined) return { read: readHere, close: () => Promise.resolve() };
  const data: ProbeData = { apiUrl, proxies: proxyVariables(process.env) };
  const options = { name: 'probe', entry, data, size: 1, mostMegabytes: MOST_MEGABYTES, secondMs };
  let pool: DeadlinePool<ProbeJob, ProbeResult> | undefined;
  return {
    read: async (url) => {
      pool ??= new DeadlinePool(options);
      try {
        return await pool.run({ url }, { bytes: 0 });
      } catch (error) {
        // As with a server that is silent: several of them must not cost every row so much time.
        if (error instanceof ThreadDied && error.hadBegun)
          return { why: whyUnread(error, MOST_MEGABYTES), isSilent: true };
        return readHere(url);
      }
    },
    close: async () => {
      const ended = pool;
      pool = undefined;
      await ended?.close();
    },
  };
}
