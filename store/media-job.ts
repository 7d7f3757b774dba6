import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FileWindow } from './containers/file-window.ts';
import { onDisk } from './folders.ts';
import { StoreUnwritable } from './errors.ts';
import { hashOf, inspect } from './inspect.ts';
import type { OwnedFolder } from './owner-file.ts';
import { declaredTypeOf, EXTENSIONS } from './sniff.ts';
import { UnfitBody, type Expectation, type StoredFile } from './store.ts';
import type { Unfitness } from './unfit.ts';

/** A media thread's job. Survives structured clone. */
export interface MediaJob extends OwnedFolder {
  readonly stem: string;
  readonly expectation: Expectation;
  /** A body in memory, or the path of its part file; undefined to find the existing file. */
  readonly from: Uint8Array | string | undefined;
  /** What the part file must hold, hex. Default: nobody knows. */
  readonly sha256?: string | undefined;
  /** Why its content cannot be read: it is kept, or found, without a look into it. Default: it is checked. */
  readonly unread?: Unfitness | undefined;
}

/** How many bytes a job reads. 0 if there is no file. */
export async function bytesOf(job: MediaJob): Promise<number> {
  if (job.from instanceof Uint8Array) return job.from.length;
  const paths = typeof job.from === 'string' ? [job.from] : namesOf(job).map(({ key }) => join(job.root, key));
  const sizes = await Promise.all(paths.map(sizeOf));
  return sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
}

/** The names that a file to find may have. */
function namesOf({ stem, expectation }: MediaJob): readonly { readonly extension: string; readonly key: string }[] {
  const extensions = expectation.extension === undefined ? EXTENSIONS : [expectation.extension];
  return extensions.map((extension) => ({ extension, key: `${stem}.${extension}` }));
}

/** Finds a stored file. One that is not whole was changed by somebody, and counts as missing. */
export async function findFile(job: MediaJob): Promise<StoredFile | undefined> {
  const { family } = job.expectation;
  for (const { extension, key } of namesOf(job)) {
    const path = join(job.root, key);
    if ((await sizeOf(path)) === undefined) continue;
    const contentType = declaredTypeOf(extension);
    const expectation = { family, extension, ...(contentType === undefined ? {} : { contentType }) };
    try {
      return { key, ...(await lookAt(path, { expectation, unread: job.unread })), extension };
    } catch (error) {
      if (!(error instanceof UnfitBody)) throw error;
    }
  }
  return undefined;
}

/**
 * What a file on the disk is: see {@link inspect}. Throws {@link StoreUnwritable} (`LOST`) if it is not what was written: a write that failed
 * late, and was made again, may have left a hole all the same.
 */
export async function lookAt(
  path: string,
  { expectation, unread, sha256 }: Pick<MediaJob, 'expectation' | 'unread' | 'sha256'>,
): Promise<Omit<StoredFile, 'key'>> {
  const file = await onDisk(path, () => open(path, 'r'));
  try {
    const { size } = await file.stat();
    const content = FileWindow.ofFile(file, size);
    // Before its content is judged: what is wrong with that would be blamed on the API.
    if (sha256 !== undefined && (await hashOf(content, false)) !== sha256) throw lost(path);
    return await inspect(content, expectation, unread);
  } finally {
    await file.close();
  }
}

/** As the system reports a disk: who was receiving the file blames neither that nor the link. */
function lost(path: string): StoreUnwritable {
  const cause = { code: 'LOST', syscall: 'read' };
  return new StoreUnwritable(path, Object.assign(new Error('the disk did not keep what was written'), cause));
}

/** Bytes of a file; undefined if there is none. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
