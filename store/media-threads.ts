import { DeadlinePool, whyUnread } from '../threads/deadline-pool.ts';
import { findThreadEntry } from '../threads/find-entry.ts';
import { ThreadDied } from '../threads/pool-thread.ts';
import { unpackError, type ThrownError } from '../threads/thrown-error.ts';
import { StoreUnwritable } from './errors.ts';
import { joinFiles, type JoinJob } from './join-files.ts';
import { linkFiles, type Link } from './link-files.ts';
import { bytesOf, type MediaJob } from './media-job.ts';
import { mediaSeconds, type SecondsJob } from './media-seconds.ts';
import { doMediaJob } from './media-work.ts';
import { reuseFile, type ReuseJob } from './reuse.ts';
import { MOST_FFMPEG_SECONDS } from './sound/ffmpeg.ts';
import { MOST_JOINING_SECONDS } from './sound/join/join-by-ffmpeg.ts';
import type { Hearing } from './sound/levels.ts';
import { levelsOf, type LevelsJob } from './sound/read-levels.ts';
import { UnfitBody, type Joined, type Linked, type Reused, type StoredFile } from './store.ts';
import type { ThreadJob, ThreadResult } from './thread-job.ts';

/** A file above this is read again by a thread for large ones. */
const MOST_SMALL_BYTES = 1024 ** 2;
/** Memory of a thread, MB. A film of 200 MB takes less than 90 of the process. */
const MOST_MEGABYTES = 512;

/** Checks, keeps and links media. */
export interface MediaThreads {
  run(job: MediaJob): Promise<StoredFile | undefined>;
  reuse(job: ReuseJob): Promise<Reused>;
  levels(job: LevelsJob): Promise<Hearing>;
  seconds(job: SecondsJob): Promise<number | undefined>;
  join(job: JoinJob): Promise<Joined>;
  /** Never rejects. */
  link(links: readonly Link[]): Promise<readonly Linked[]>;
  close(): Promise<void>;
}

/**
 * Threads that check media and write them to disk. Each job has a deadline: a file that hangs whoever reads it, or takes
 * all memory, is kept unread, and the jobs beside it are done again. They may be: each writes whole files under names
 * that are its own, or only reads. If no thread can start, because the code runs from its TypeScript
 * source, the calling thread does the same work.
 *
 * Small files have their own thread: most batches need no other, and no film delays them.
 *
 * @param most max threads for large files
 * @param entry compiled `media-thread.ts`; default: found beside this module
 * @param secondMs how long a second of a job's deadline is, ms; default 1,000
 */
export function startMediaThreads(
  most: number,
  entry = findThreadEntry(import.meta.url, 'store/media-thread'),
  secondMs?: number,
): MediaThreads {
  if (entry === undefined) return new SameThread();
  const options = { entry, toError, mostMegabytes: MOST_MEGABYTES, ...(secondMs === undefined ? {} : { secondMs }) };
  const small = new DeadlinePool<ThreadJob, ThreadResult>({ name: 'media', size: 1, ...options });
  const large = new DeadlinePool<ThreadJob, ThreadResult>({ name: 'large media', size: most, ...options });
  const poolFor = (bytes: number): typeof small => (bytes > MOST_SMALL_BYTES ? large : small);
  const keep = async (job: MediaJob, bytes: number): Promise<StoredFile | undefined> =>
    (await (job.from instanceof Uint8Array ? small : large).run(job, { bytes })) as StoredFile | undefined;
  return {
    run: async (job) => {
      const bytes = await bytesOf(job);
      try {
        return await keep(job, bytes);
      } catch (error) {
        if (!(error instanceof ThreadDied)) throw error;
        // A missing thread must not cost a paid result, and neither must one that the result has ended.
        return error.hadBegun
          ? keep({ ...job, unread: `unreadable: ${whyUnread(error, MOST_MEGABYTES)}` }, bytes)
          : doMediaJob(job);
      }
    },
    reuse: async (job) => {
      const { bytes } = job.file;
      try {
        return (await poolFor(bytes).run(job, { bytes })) as Reused;
      } catch (error) {
        if (error instanceof ThreadDied && !error.hadBegun) return reuseFile(job);
        throw error;
      }
    },
    levels: async (job) => {
      const { bytes, file } = job;
      const programSeconds = file.ffmpeg === undefined ? 0 : MOST_FFMPEG_SECONDS;
      try {
        return (await poolFor(bytes).run(job, { bytes, programSeconds })) as Hearing;
      } catch (error) {
        if (error instanceof ThreadDied && error.hadBegun)
          return { type: 'unread', why: whyUnread(error, MOST_MEGABYTES) };
        throw error;
      }
    },
    seconds: async (job) => {
      const { bytes } = job;
      try {
        return (await poolFor(bytes).run(job, { bytes })) as number | undefined;
      } catch (error) {
        if (!(error instanceof ThreadDied)) throw error;
        return error.hadBegun ? undefined : mediaSeconds(job.path, job.extension);
      }
    },
    join: async (job) => {
      const bytes = job.files.reduce((sum, file) => sum + file.bytes, 0);
      const programSeconds = job.ffmpeg === undefined ? 0 : MOST_JOINING_SECONDS;
      try {
        return (await large.run(job, { bytes, programSeconds })) as Joined;
      } catch (error) {
        if (!(error instanceof ThreadDied)) throw error;
        return error.hadBegun
          ? { type: 'unjoinable', why: `they ${whyUnread(error, MOST_MEGABYTES)}` }
          : joinFiles(job);
      }
    },
    link: async (links) => {
      try {
        return (await small.run(links, { bytes: 0 })) as readonly Linked[];
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

  seconds({ path, extension }: SecondsJob): Promise<number | undefined> {
    return this.#track(() => mediaSeconds(path, extension));
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
