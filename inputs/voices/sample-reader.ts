import { DeadlinePool, whyUnread } from '../../threads/deadline-pool.ts';
import { findThreadEntry } from '../../threads/find-entry.ts';
import { ThreadDied } from '../../threads/pool-thread.ts';
import { readSample, type Sample } from './read-sample.ts';

/** A job of the thread that reads recordings. */
export interface SampleJob {
  readonly path: string;
  readonly content: Uint8Array;
}

/** Reads recordings. */
export interface SampleReader {
  /** Never throws. One that cannot be read in its time is no sample. */
  read(path: string, content: Uint8Array): Promise<Sample>;
  close(): Promise<void>;
}

/** Memory of the thread, MB: a sample has a few. */
const MOST_MEGABYTES = 256;

/**
 * Starts a thread that reads recordings, each within a deadline: a damaged file must not hang who asks. If no thread can
 * start, because the code runs from its TypeScript source, the calling thread does the work.
 *
 * @param entry compiled `sample-thread.ts`; default: found beside this module
 * @param secondMs how long a second of a deadline is, ms; default 1,000
 */
export function startSampleReader(
  entry = findThreadEntry(import.meta.url, 'inputs/sample-thread'),
  secondMs = 1_000,
): SampleReader {
  if (entry === undefined) return { read: readSample, close: () => Promise.resolve() };
  const options = { name: 'samples', entry, size: 1, mostMegabytes: MOST_MEGABYTES, secondMs };
  const pool = new DeadlinePool<SampleJob, Sample>(options);
  return {
    read: async (path, content) => {
      try {
        return await pool.run({ path, content }, { bytes: content.length });
      } catch (error) {
        if (error instanceof ThreadDied && error.hadBegun)
          return { why: `a file that ${whyUnread(error, MOST_MEGABYTES)}` };
        return readSample(path, content);
      }
    },
    close: () => pool.close(),
  };
}
