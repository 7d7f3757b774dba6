import { findThreadEntry } from '../threads/find-entry.ts';
import { ThreadDied } from '../threads/pool-thread.ts';
import { ThreadPool } from '../threads/thread-pool.ts';
import { unpackError, type ThrownError } from '../threads/thrown-error.ts';
import { StoreUnwritable } from './errors.ts';
import { joinFiles, type JoinJob } from './join-files.ts';
import { linkFiles, type Link } from './link-files.ts';
import { doMediaJob, type MediaJob } from './media-work.ts';
import { reuseFile, type ReuseJob } from './reuse.ts';
import type { Hearing } from './sound/levels.ts';
import { levelsOf, type LevelsJob } from './sound/read-levels.ts';
import { UnfitBody, type Joined, type Linked, type Reused, type StoredFile } from './store.ts';
import type { ThreadJob, ThreadResult } from './thread-job.ts';

/** A file above this is read again by a thread for large ones. */
const MOST_SMALL_BYTES = 1024 ** 2;

/** Checks, keeps and links media. */
export interface MediaThreads {
  run(job: MediaJob): Promise<StoredFile | undefined>;
  reuse(job: ReuseJob): Promise<Reused>;
  levels(job: LevelsJob): Promise<Hearing>;
  join(job: JoinJob): Promise<Joined>;
  /** Never rejects. */
  link(links: readonly Link[]): Promise<readonly Linked[]>;
  close(): Promise<void>;
}

/**
 * Threads that check media and write them to disk. If no thread can start, because the code runs from its TypeScript
 * source, the calling thread does the same work.
 *
 * Small files have their own thread: most batches need no other, and no film delays them.
 *
 * @param most max threads for large files
 * @param entry compiled `media-thread.ts`; default: found beside this module
 */
export function startMediaThreads(
  most: number,
  entry = findThreadEntry(import.meta.url, 'store/media-thread'),
): MediaThreads {
  if (entry === undefined) return new SameThread();
  const small = new ThreadPool<ThreadJob, ThreadResult>({ name: 'media', entry, size: 1, toError });
  const large = new ThreadPool<ThreadJob, ThreadResult>({ name: 'large media', entry, size: most, toError });
  const poolFor = (bytes: number): typeof small => (bytes > MOST_SMALL_BYTES ? large : small);
  return {
    run: async (job) => {
      const { from } = job;
      const isSmall = from instanceof Uint8Array;
      try {
        const done = isSmall ? small.run(job, { transfer: [from.buffer as ArrayBuffer] }) : large.run(job);
        return (await done) as StoredFile | undefined;
      } catch (error) {
        // A missing thread must not cost a paid result.
        if (error instanceof ThreadDied && !error.hadBegun) return doMediaJob(job);
        throw error;
      }
    },
    reuse: async (job) => {
      try {
        return (await poolFor(job.file.bytes).run(job)) as Reused;
      } catch (error) {
        if (error instanceof ThreadDied) return reuseFile(job);
        throw error;
      }
    },
    levels: async (job) => (await poolFor(job.bytes).run(job)) as Hearing,
    join: async (job) => {
      try {
        return (await large.run(job)) as Joined;
      } catch (error) {
        if (error instanceof ThreadDied) return joinFiles(job);
        throw error;
      }
    },
    link: async (links) => {
      try {
        return (await small.run(links)) as readonly Linked[];
      } catch {
        return links.map(() => 'other' as const);
      }
    },
    close: async () => {
      await Promise.all([small.close(), large.close()]);
    },
  };
}

class SameThread implements MediaThreads {
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  run(job: MediaJob): Promise<StoredFile | undefined> {
    return this.#track(() => doMediaJob(job));
  }

  reuse(job: ReuseJob): Promise<Reused> {
    return this.#track(() => reuseFile(job));
  }

  levels(job: LevelsJob): Promise<Hearing> {
    return this.#track(() => levelsOf(job.file));
  }

  join(job: JoinJob): Promise<Joined> {
    return this.#track(() => joinFiles(job));
  }

  async #track<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error('Expected an open store, but it was closed.');
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  link(links: readonly Link[]): Promise<readonly Linked[]> {
    return Promise.resolve(linkFiles(links));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
  }
}

/** Restores the classes of errors that callers distinguish. */
function toError(thrown: ThrownError): Error {
  const error = unpackError(thrown);
  if (thrown.name === 'UnfitBody') return new UnfitBody(thrown.message, { cause: error });
  if (thrown.name !== 'StoreUnwritable') return error;
  return new StoreUnwritable(String(thrown.members['path']), error.cause);
}
