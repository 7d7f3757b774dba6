import { findThreadEntry } from '../threads/find-entry.ts';
import { ThreadDied } from '../threads/pool-thread.ts';
import { ThreadPool } from '../threads/thread-pool.ts';
import { unpackError, type ThrownError } from '../threads/thrown-error.ts';
import { StoreUnwritable } from './errors.ts';
import { doMediaJob, type MediaJob } from './media-work.ts';
import { UnfitBody, type StoredFile } from './store.ts';

/** Who checks and keeps media. */
export interface MediaThreads {
  run(job: MediaJob): Promise<StoredFile | undefined>;
  close(): Promise<void>;
}

/**
 * Threads that check media and put them to disk. Where no thread can be started, because the code runs from its TypeScript source,
 * the same is done in this one.
 *
 * @param entry compiled `media-thread.ts`; default: found beside this module
 */
export function startMediaThreads(
  size: number,
  entry = findThreadEntry(import.meta.url, 'store/media-thread'),
): MediaThreads {
  if (entry === undefined) return new SameThread();
  const pool = new ThreadPool<MediaJob, StoredFile | undefined>({ name: 'media', entry, size, toError });
  return {
    run: async (job) => {
      try {
        return await pool.run(job, {
          transfer: job.from instanceof Uint8Array ? [job.from.buffer as ArrayBuffer] : [],
        });
      } catch (error) {
        // What was paid for is not given up because a thread cannot be had.
        if (error instanceof ThreadDied && !error.hadBegun) return doMediaJob(job);
        throw error;
      }
    },
    close: () => pool.close(),
  };
}

class SameThread implements MediaThreads {
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  async run(job: MediaJob): Promise<StoredFile | undefined> {
    if (this.#isClosed) throw new Error('Expected an open store, but it was closed.');
    const running = doMediaJob(job);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
  }
}

/** Gives the errors that callers tell apart their classes again. */
function toError(thrown: ThrownError): Error {
  const error = unpackError(thrown);
  if (thrown.name === 'UnfitBody') return new UnfitBody(thrown.message, { cause: error });
  if (thrown.name !== 'StoreUnwritable') return error;
  return new StoreUnwritable(String(thrown.members['path']), error.cause);
}
