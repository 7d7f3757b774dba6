import { DeadlinePool } from '../threads/thread-pool.ts';
import { findThreadEntry } from '../threads/find-entry.ts';
import { unpackError, type ThrownError } from '../threads/serve-jobs.ts';
import { StoreUnwritable } from './errors.ts';
import { mediaSeconds } from './inspect.ts';
import { joinFiles, type JoinedPart, type JoinJob } from './join-files.ts';
import { doMediaJob, jobBytes, type MediaJob } from './media-work.ts';
import { reuseFile, type ReuseJob } from './reuse.ts';
import type { Reused, StoredFile } from './store.ts';
import { UnfitBody } from './unfit.ts';

/** Larger files are left to the threads for large files. */
const MAX_SMALL_BYTES = 1024 ** 2;
/** Memory limit of a thread, in MB. A 200 MB film takes less than 90 MB of the process. */
const MAX_MEGABYTES = 512;

/** A kind of work of a media thread. Its jobs and results must survive structured clone. */
interface Work<Job, Result> {
  readonly name: string;
  readonly do: (job: Job) => Promise<Result>;
  /** Returns how many bytes a job reads, from which its deadline follows. */
  readonly bytesOf: (job: Job) => number | Promise<number>;
  readonly isLarge: (job: Job, bytes: number) => boolean;
  /**
   * Returns the result of a job that hung or killed its thread. `why`: a phrase such as "took too long". `again` runs
   * another job of this kind.
   */
  readonly unread: (job: Job, why: string, again: (job: Job) => Promise<Result>) => Result | Promise<Result>;
}

const isLarge = (_: unknown, bytes: number): boolean => bytes > MAX_SMALL_BYTES;

/**
 * Stores a body, or finds a stored file. A paid result that kills the thread is not lost: it is stored unchecked, as
 * unfit.
 */
export const KEEP: Work<MediaJob, StoredFile | undefined> = {
  name: 'keep',
  do: doMediaJob,
  bytesOf: jobBytes,
  isLarge: ({ from }) => !(from instanceof Uint8Array),
  unread: (job, why, again) => {
    if (job.unread !== undefined) throw new Error(`the file ${job.stem} ${why}`);
    return again({ ...job, unread: `unreadable: ${why}` });
  },
};

/** Stores a file under a further name. */
export const REUSE: Work<ReuseJob, Reused> = {
  name: 'reuse',
  do: reuseFile,
  bytesOf: ({ file }) => file.bytes,
  isLarge,
  unread: ({ file }, why) => {
    throw new Error(`the stored file ${file.key} ${why}`);
  },
};

/** Measures the duration of a file. */
export const SECONDS: Work<
  { readonly path: string; readonly extension: string; readonly bytes: number },
  number | undefined
> = {
  name: 'seconds',
  do: ({ path, extension }) => mediaSeconds(path, extension),
  bytesOf: ({ bytes }) => bytes,
  isLarge,
  unread: () => undefined,
};

/** Joins files into one. */
export const JOIN: Work<JoinJob, JoinedPart> = {
  name: 'join',
  do: joinFiles,
  bytesOf: ({ files }) => files.reduce((sum, { bytes }) => sum + bytes, 0),
  isLarge: () => true,
  unread: (_, why) => ({ type: 'unjoinable', why: `they ${why}` }),
};

/** All kinds of work, by name. */
const WORKS: Readonly<Record<string, Pick<Work<never, unknown>, 'do'>>> = {
  [KEEP.name]: KEEP,
  [REUSE.name]: REUSE,
  [SECONDS.name]: SECONDS,
  [JOIN.name]: JOIN,
};

/** A job as sent to a thread. `name`: that of its kind of work. */
interface ThreadJob {
  readonly name: string;
  readonly job: unknown;
}

/** Does a job. Called inside a media thread (`media-thread.ts`). */
export function doThreadJob({ name, job }: ThreadJob): Promise<unknown> {
  const work = WORKS[name];
  if (work === undefined) throw new Error(`Expected work of a media thread, but got ${name}.`);
  return work.do(job as never);
}

/** Runs jobs in media threads. */
export interface MediaThreads {
  /** Does a job of this kind. Throws what the job throws. */
  run<Job, Result>(work: Work<Job, Result>, job: Job): Promise<Result>;
  close(): Promise<void>;
}

/**
 * Starts threads that check media and write them to disk. Each job has a deadline, see {@link DeadlinePool}. If a file
 * hangs or crashes its thread, {@link Work.unread} decides about that job, and the other jobs of the thread run again.
 * That is safe, because each job writes complete files under its own names, or only reads.
 *
 * Small files have their own thread: most batches need no other, and long films cannot delay them.
 *
 * @param max number of threads for large files
 * @param entry compiled `media-thread.ts`; default: found beside this module
 * @param secondMs how long a second of a job's deadline is, ms; default 1,000
 */
export function startMediaThreads(
  max: number,
  entry = findThreadEntry(import.meta.url, 'store/media-thread'),
  secondMs = 1_000,
): MediaThreads {
  const options = { entry, toError, maxMegabytes: MAX_MEGABYTES, secondMs };
  const small = new DeadlinePool<ThreadJob>({ name: 'media', size: 1, ...options });
  const large = new DeadlinePool<ThreadJob>({ name: 'large media', size: max, ...options });
  const run = async <Job, Result>(work: Work<Job, Result>, job: Job): Promise<Result> => {
    const { name } = work;
    const bytes = await work.bytesOf(job);
    const pool = work.isLarge(job, bytes) ? large : small;
    return pool.run({ name, job }, bytes, {
      runHere: () => work.do(job),
      unread: (why) => work.unread(job, why, (other) => run(work, other)),
    });
  };
  return {
    run,
    close: async () => {
      await Promise.all([small.close(), large.close()]);
    },
  };
}

/** Restores the class of an error from a thread, where callers distinguish it. */
function toError(thrown: ThrownError): Error {
  const error = unpackError(thrown);
  if (thrown.name === 'UnfitBody') return new UnfitBody(thrown.message, { cause: error });
  if (thrown.name !== 'StoreUnwritable') return error;
  return new StoreUnwritable(String(thrown.members['path']), error.cause);
}
