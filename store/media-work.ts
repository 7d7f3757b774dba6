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

/**
 * Inspects a received body, or finds an existing file. With `into`, also stores it there. Throws `UnfitBody` or
 * `StoreUnwritable`. Meant for a thread: it blocks while it hashes.
 *
 * It may be interrupted anywhere and repeated: each run writes a new part file but the same final name; a missing part
 * file has already been renamed to it.
 */
export async function doMediaJob(job: MediaJob): Promise<StoredFile | undefined> {
  const { from } = job;
  if (from === undefined) return job.into && findFile(job, job.into);
  if (typeof from === 'string') return keepPart(job, from);
  return keepBody(job, Buffer.from(from.buffer, from.byteOffset, from.byteLength));
}

async function keepBody(job: MediaJob, body: Buffer): Promise<StoredFile> {
  const stored = named(job, await inspect(FileWindow.ofBody(body), job.expectation, job.unread));
  if (job.into !== undefined) await putBody(job.into, stored.key, body);
  return stored;
}

async function keepPart(job: MediaJob, part: string): Promise<StoredFile> {
  const { into } = job;
  const before = into !== undefined && (await sizeOf(part)) === undefined ? await findNamed(job, into) : undefined;
  if (before !== undefined) return before;
  try {
    const stored = named(job, await lookAt(part, job));
    if (into !== undefined) await putPart(into, stored.key, part);
    return stored;
  } catch (error) {
    // If the disk refuses the final name, the receiver may retry, and eventually removes the part.
    if (into !== undefined && !(error instanceof StoreUnwritable)) await removePart(part);
    throw error;
  }
}

function named({ stem }: MediaJob, found: Omit<StoredFile, 'key'>): StoredFile {
  return { key: `${stem}.${found.extension}`, ...found };
}

/** Finds the file whose part file has already been renamed. */
function findNamed(job: MediaJob, folder: OwnedFolder): Promise<StoredFile | undefined> {
  const { family, extension } = job.expectation;
  return findFile({ ...job, expectation: { family, ...(extension === undefined ? {} : { extension }) } }, folder);
}

/** A media thread's job. Survives structured clone. */
export interface MediaJob {
  readonly stem: string;
  readonly expectation: Expectation;
  /** A body in memory, or the path of its part file; undefined to find the existing file in `into`. */
  readonly from: Uint8Array | string | undefined;
  /**
   * The folder that it is stored in; then a part file must lie there, too, and is removed if it is unfit. Undefined: it
   * is only inspected.
   */
  readonly into: OwnedFolder | undefined;
  /** Expected sha256 of the part file, in hex. Default: unknown. */
  readonly sha256?: string | undefined;
  /** Why its content cannot be read; it is then stored or found unchecked. By default it is checked. */
  readonly unread?: Unfitness | undefined;
}

/** How many bytes a job reads. 0 if there is no file. */
export async function bytesOf(job: MediaJob): Promise<number> {
  if (job.from instanceof Uint8Array) return job.from.length;
  const paths =
    typeof job.from === 'string' ? [job.from] : namesOf(job).map(({ key }) => join(job.into?.root ?? '', key));
  const sizes = await Promise.all(paths.map(sizeOf));
  return sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
}

/** The names that a file to find may have. */
function namesOf({ stem, expectation }: MediaJob): readonly { readonly extension: string; readonly key: string }[] {
  const extensions = expectation.extension === undefined ? EXTENSIONS : [expectation.extension];
  return extensions.map((extension) => ({ extension, key: `${stem}.${extension}` }));
}

/** Finds a stored file. An incomplete one must have been altered and counts as missing. */
async function findFile(job: MediaJob, { root }: OwnedFolder): Promise<StoredFile | undefined> {
  for (const { extension, key } of namesOf(job)) {
    const path = join(root, key);
    if ((await sizeOf(path)) === undefined) continue;
    try {
      const expectation = knownAs(extension, job.expectation);
      return { key, ...(await lookAt(path, { expectation, unread: job.unread })), extension };
    } catch (error) {
      if (!(error instanceof UnfitBody)) throw error;
    }
  }
  return undefined;
}

/** What a file of this extension must be. */
export function knownAs(extension: string, { family }: Pick<Expectation, 'family'>): Expectation {
  const contentType = declaredTypeOf(extension);
  return { family, extension, ...(contentType === undefined ? {} : { contentType }) };
}

/**
 * Inspects a file on disk (see {@link inspect}). Throws {@link StoreUnwritable} (`LOST`) if it is not what was written:
 * a write that failed late and was repeated may still have left a hole.
 */
async function lookAt(
  path: string,
  { expectation, unread, sha256 }: Pick<MediaJob, 'expectation' | 'unread' | 'sha256'>,
): Promise<Omit<StoredFile, 'key'>> {
  const file = await onDisk(path, () => open(path, 'r'));
  try {
    const { size } = await file.stat();
    const content = FileWindow.ofFile(file, size);
    // Compare first: any later defect would be blamed on the API.
    if (sha256 !== undefined && (await hashOf(content, false)) !== sha256) throw lostByDisk(path);
    return await inspect(content, expectation, unread);
  } finally {
    await file.close();
  }
}

/** Bytes of a file; undefined if there is none. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
