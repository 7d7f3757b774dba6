import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FileWindow } from './containers/file-window.ts';
import { onDisk } from './folders.ts';
import { inspect, hashOf } from './inspect.ts';
import { lostByDisk, StoreUnwritable } from './errors.ts';
import type { StoredFile, Expectation } from './store.ts';
import type { OwnedFolder } from './owner-file.ts';
import { putBody, putPart, removePart } from './put-in-folder.ts';
import { declaredTypeOf, EXTENSIONS } from './sniff.ts';
import { type Unfitness, UnfitBody } from './unfit.ts';

/** A job of a media thread: check a body, and store it; or find a stored file. Survives structured clone. */
export interface MediaJob {
  /** Key of the file, without its extension. */
  readonly stem: string;
  readonly expectation: Expectation;
  /** The body in memory, or the path of its part file. Undefined: find the file that is already in `into`. */
  readonly from: Uint8Array | string | undefined;
  /**
   * The folder to store the file in. A part file must then lie in it, and is removed if it cannot be stored. Undefined:
   * the body is only checked.
   */
  readonly into: OwnedFolder | undefined;
  /** Expected sha256 of the part file, in hex. Default: not compared. */
  readonly sha256?: string | undefined;
  /** Why its content must not be read; it is then stored or found unchecked, as unfit. By default it is checked. */
  readonly unread?: Unfitness | undefined;
}

/**
 * Checks a received body and stores it, or finds a stored file. Returns undefined only if there is none to find. Throws
 * `UnfitBody` or `StoreUnwritable`. Runs in a media thread: it blocks while it hashes.
 *
 * A job may be interrupted anywhere and repeated: it always stores the same key, and a part file that is missing has
 * already been renamed to that key.
 */
export async function doMediaJob(job: MediaJob): Promise<StoredFile | undefined> {
  const { from } = job;
  if (from === undefined) return job.into && findFile(job, job.into);
  if (typeof from === 'string') return keepPart(job, from);
  return keepBody(job, Buffer.from(from.buffer, from.byteOffset, from.byteLength));
}

/** Checks a body in memory, and stores it. */
async function keepBody(job: MediaJob, body: Buffer): Promise<StoredFile> {
  const stored = withKey(job, await inspect(FileWindow.ofBody(body), job.expectation, job.unread));
  if (job.into !== undefined) await putBody(job.into, stored.key, body);
  return stored;
}

/** Checks a part file, and renames it to its key. */
async function keepPart(job: MediaJob, part: string): Promise<StoredFile> {
  const { into } = job;
  // An interrupted try of this job may have renamed the part file already.
  const isRenamed = into !== undefined && (await sizeOf(part)) === undefined;
  const before = isRenamed ? await findFile(job, into) : undefined;
  if (before !== undefined) return before;
  try {
    const stored = withKey(job, await inspectFile(part, job));
    if (into !== undefined) await putPart(into, stored.key, part);
    return stored;
  } catch (error) {
    // If the disk refuses the final name, the receiver may retry, and eventually removes the part.
    if (into !== undefined && !(error instanceof StoreUnwritable)) await removePart(part);
    throw error;
  }
}

/** Adds the key that follows from the type that was found. */
function withKey({ stem }: MediaJob, found: Omit<StoredFile, 'key'>): StoredFile {
  return { key: `${stem}.${found.extension}`, ...found };
}

/** Returns how many bytes a job reads; 0 if there is no file. */
export async function jobBytes(job: MediaJob): Promise<number> {
  if (job.from instanceof Uint8Array) return job.from.length;
  const paths =
    typeof job.from === 'string' ? [job.from] : candidatesOf(job).map(({ key }) => join(job.into?.root ?? '', key));
  const sizes = await Promise.all(paths.map(sizeOf));
  return sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
}

/** Returns the keys under which a file to find may be stored. */
function candidatesOf({
  stem,
  expectation,
}: MediaJob): readonly { readonly extension: string; readonly key: string }[] {
  const extensions = expectation.extension === undefined ? EXTENSIONS : [expectation.extension];
  return extensions.map((extension) => ({ extension, key: `${stem}.${extension}` }));
}

/** Finds a stored file. An incomplete one was altered since it was stored, and counts as missing. */
async function findFile(job: MediaJob, { root }: OwnedFolder): Promise<StoredFile | undefined> {
  for (const { extension, key } of candidatesOf(job)) {
    const path = join(root, key);
    if ((await sizeOf(path)) === undefined) continue;
    try {
      const expectation = expectationFor(extension, job.expectation);
      return { key, ...(await inspectFile(path, { expectation, unread: job.unread })), extension };
    } catch (error) {
      if (!(error instanceof UnfitBody)) throw error;
    }
  }
  return undefined;
}

/** Returns what a stored file with this extension must be. */
export function expectationFor(extension: string, { family }: Pick<Expectation, 'family'>): Expectation {
  const contentType = declaredTypeOf(extension);
  return { family, extension, ...(contentType === undefined ? {} : { contentType }) };
}

/**
 * Inspects a file on disk (see {@link inspect}). Throws {@link StoreUnwritable} (`LOST`) if it differs from what was
 * written: a failed write that was repeated may still have left a hole.
 */
async function inspectFile(
  path: string,
  { expectation, unread, sha256 }: Pick<MediaJob, 'expectation' | 'unread' | 'sha256'>,
): Promise<Omit<StoredFile, 'key'>> {
  const file = await onDisk(path, () => open(path, 'r'));
  try {
    const { size } = await file.stat();
    const content = FileWindow.ofFile(file, size);
    // Compared first, because the API would be blamed for any defect that the checks find.
    if (sha256 !== undefined && (await hashOf(content, false)) !== sha256) throw lostByDisk(path);
    return await inspect(content, expectation, unread);
  } finally {
    await file.close();
  }
}

/** Returns the bytes of a file; undefined if there is none. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
