import type { Refusal } from '../contract/file-loss.ts';

/** What the user can do about a disk error, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  LOST: 'Check the disk: it took the file without an error. Then run the same command again.',
  GONE: 'Bring it back (move the folder back, or mount its disk), then run the same command again.',
  ENOSPC: 'The disk is full: free some space, then run the same command again.',
  EFBIG:
    'The file is larger than this system lets it be: raise the limit (ulimit -f), then run the same command again.',
  ENOTDIR: 'Choose another folder with VOXBATCH_STORE.',
  EDQUOT: 'Your disk quota is used up: free some space, then run the same command again.',
  EROFS: 'The disk is mounted read-only: choose another folder with VOXBATCH_STORE.',
  EACCES: 'Make the folder writable for this user, or choose another with VOXBATCH_STORE.',
  EPERM: 'Make the folder writable for this user, or choose another with VOXBATCH_STORE.',
};

/**
 * The store's disk did not accept a file. Nothing was left under the final name, and the result can be fetched again
 * free, unless it was itself the answer to a paid request.
 */
export class StoreUnwritable extends Error {
  /** The path that could not be written. */
  readonly path: string;
  /**
   * The system's code, e.g. `ENOSPC`, or that of an S3 server (`s3/errors.ts`); `GONE` if the store's folder has
   * disappeared or belongs to another ledger; `AWAY` if a bucket does not answer for now; `LOST` if the disk holds
   * something other than what was written.
   */
  readonly code: string;

  /** Whether the disk is full, so that freeing space would help. */
  get isDiskFull(): boolean {
    return this.code === 'ENOSPC' || this.code === 'EDQUOT';
  }

  /** Whether the content was available only once and is lost, so that retrying is pointless. */
  get isLost(): boolean {
    return this.code === 'LOST';
  }

  /** Whether the place does not answer for now, so that waiting would help. Only buckets throw such errors. */
  get isAway(): boolean {
    return this.code === 'AWAY';
  }

  /** @param sentence the whole message; default: that of a disk */
  constructor(path: string, cause: unknown, sentence?: string) {
    const { code = 'unknown', message } = cause as NodeJS.ErrnoException;
    const advice = ADVICE[code] ?? 'Check the disk, then run the same command again.';
    const loss = code === 'LOST' ? 'What was paid for is lost, and its row unknown. ' : '';
    super(sentence ?? `${path} cannot be written (${message}). ${loss}${advice}`, { cause });
    this.name = 'StoreUnwritable';
    this.path = path;
    this.code = code;
  }
}

/**
 * Returns the error for a file that differs from what was written: the disk is at fault, not the response or its link.
 */
export function lostByDisk(path: string): StoreUnwritable {
  const cause = { code: 'LOST', syscall: 'read' };
  return new StoreUnwritable(path, Object.assign(new Error('the disk did not keep what was written'), cause));
}

/** The place has a file, but refuses its content for good. Other files of the place can be read. */
export class StoredFileRefused extends Error {
  override readonly name = 'StoredFileRefused';
  /** What became of the file: archived, or unreadable. */
  readonly is: Refusal;

  /** @param reason the code of the place, e.g. `InvalidObjectState` */
  constructor(key: string, is: Refusal, reason: string) {
    super(`The stored file ${key} is ${is} (${reason}).`);
    this.is = is;
  }
}

/** A name that leads out of the store, or that no file can have. */
export class UnsafeName extends Error {
  constructor(name: string) {
    super(`Expected a name inside the store, such as "batch/1-speech-1", but got ${JSON.stringify(name)}.`);
    this.name = 'UnsafeName';
  }
}
