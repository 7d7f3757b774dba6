import { randomUUID } from 'node:crypto';
import { closeSync, fsync, openSync, renameSync, writeSync } from 'node:fs';
import { rm, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { FileWindow } from './containers/file-window.ts';
import { Folders, onDisk } from './folders.ts';
import { inspect, hashOf } from './inspect.ts';
import { StoreUnwritable } from './errors.ts';
import type { StoredFile, Expectation } from './store.ts';
import type { OwnedFolder } from './owner-file.ts';
import { declaredTypeOf, EXTENSIONS } from './sniff.ts';
import { type Unfitness, UnfitBody } from './unfit.ts';

/** Read-only: users have hard links to these files, and a tool that writes in place would spoil what was paid for. */
export const FILE_MODE = 0o444;

/** Folder in the store for files that are not complete yet. */
export const PARTS_FOLDER = '.parts';

const syncFile = promisify(fsync);
const folders = new Folders();

/**
 * Stores a received body, or finds an existing file. Throws `UnfitBody` or `StoreUnwritable`. Meant for a thread: it
 * blocks while it hashes, and during the short disk calls. The slow syncs run concurrently.
 *
 * It may be interrupted anywhere and repeated: each run writes a new part file but the same final name; a missing part
 * file has already been renamed to it.
 */
export async function doMediaJob(job: MediaJob): Promise<StoredFile | undefined> {
  const { from } = job;
  if (from === undefined) return findFile(job);
  if (typeof from === 'string') return keepPart(job, from);
  return keepBody(job, Buffer.from(from.buffer, from.byteOffset, from.byteLength));
}

/** A path for a partial file. All are in one folder, so that abandoned ones can be found. */
export function newPart(root: string): string {
  return join(root, PARTS_FOLDER, `${randomUUID()}.part`);
}

async function keepBody(job: MediaJob, body: Buffer): Promise<StoredFile> {
  const found = await inspect(FileWindow.ofBody(body), job.expectation, job.unread);
  const part = newPart(job.root);
  try {
    return await publish(job, part, found, () =>
      folders.within(dirname(part), job, () => onDisk(part, () => writePart(part, body))),
    );
  } catch (error) {
    await removePart(part);
    throw error;
  }
}

/** Returns the file, open. */
function writePart(part: string, body: Buffer): number {
  const file = openSync(part, 'wx', FILE_MODE);
  try {
    for (let at = 0; at < body.length;) at += writeSync(file, body, at);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

async function keepPart(job: MediaJob, part: string): Promise<StoredFile> {
  const named = (await sizeOf(part)) === undefined ? await findNamed(job) : undefined;
  if (named !== undefined) return named;
  try {
    const found = await lookAt(part, job);
    return await publish(job, part, found, () => onDisk(part, () => openSync(part, 'r')));
  } catch (error) {
    // If the disk refuses the final name, the receiver may retry, and eventually removes the part.
    if (!(error instanceof StoreUnwritable)) await removePart(part);
    throw error;
  }
}

/** Finds the file whose part file has already been renamed. */
function findNamed(job: MediaJob): Promise<StoredFile | undefined> {
  const { family, extension } = job.expectation;
  return findFile({ ...job, expectation: { family, ...(extension === undefined ? {} : { extension }) } });
}

/** Syncs the part file, gives it its name, and syncs that. */
async function publish(
  job: MediaJob,
  part: string,
  found: Omit<StoredFile, 'key'>,
  openPart: () => Promise<number>,
): Promise<StoredFile> {
  const stored = { key: `${job.stem}.${found.extension}`, ...found };
  const path = join(job.root, stored.key);
  const file = await openPart();
  try {
    await onDisk(part, () => syncFile(file));
  } finally {
    closeSync(file);
  }
  await folders.within(dirname(path), job, () =>
    onDisk(path, () => {
      renameSync(part, path);
      return folders.sync(dirname(path));
    }),
  );
  return stored;
}

/** Report only the first error. A part that cannot be removed now is swept later. */
async function removePart(part: string): Promise<void> {
  await rm(part, { force: true }).catch(() => undefined);
}

/** A media thread's job. Survives structured clone. */
export interface MediaJob extends OwnedFolder {
  readonly stem: string;
  readonly expectation: Expectation;
  /** A body in memory, or the path of its part file; undefined to find the existing file. */
  readonly from: Uint8Array | string | undefined;
  /** Expected sha256 of the part file, in hex. Default: unknown. */
  readonly sha256?: string | undefined;
  /** Why its content cannot be read; it is then stored or found unchecked. By default it is checked. */
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

/** Finds a stored file. An incomplete one must have been altered and counts as missing. */
async function findFile(job: MediaJob): Promise<StoredFile | undefined> {
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
    if (sha256 !== undefined && (await hashOf(content, false)) !== sha256) throw lost(path);
    return await inspect(content, expectation, unread);
  } finally {
    await file.close();
  }
}

/** Looks like a system's disk error, so that the receiver blames neither the body nor the link. */
function lost(path: string): StoreUnwritable {
  const cause = { code: 'LOST', syscall: 'read' };
  return new StoreUnwritable(path, Object.assign(new Error('the disk did not keep what was written'), cause));
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
