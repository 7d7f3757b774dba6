import { randomUUID } from 'node:crypto';
import { closeSync, fsync, openSync, renameSync, writeSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { FileWindow } from './containers/file-window.ts';
import { Folders, onDisk } from './folders.ts';
import { inspect } from './inspect.ts';
import type { OwnedFolder } from './owner-file.ts';
import { declaredTypeOf, EXTENSIONS } from './sniff.ts';
import { UnfitBody, type Expectation, type StoredFile } from './store.ts';

/** Read-only: users have hard links to these files, and a tool that writes in place would spoil what was paid for. */
export const FILE_MODE = 0o444;

/** Folder in the store for files that are not complete yet. */
export const PARTS_FOLDER = '.parts';

/** A media thread's job. Survives structured clone. */
export interface MediaJob extends OwnedFolder {
  readonly stem: string;
  readonly expectation: Expectation;
  /** A body in memory, or the path of its part file; undefined to find the existing file. */
  readonly from: Uint8Array | string | undefined;
}

const syncFile = promisify(fsync);
const folders = new Folders();

/**
 * Stores a received body, or finds an existing file. Throws `UnfitBody` or `StoreUnwritable`. Meant for a thread: it
 * blocks while it hashes, and during the short disk calls. The slow syncs run concurrently.
 */
export async function doMediaJob(job: MediaJob): Promise<StoredFile | undefined> {
  const { from } = job;
  if (from === undefined) return find(job);
  if (typeof from === 'string') return keepPart(job, from);
  return keepBody(job, Buffer.from(from.buffer, from.byteOffset, from.byteLength));
}

/** A path for a file that is not complete yet. All are in one folder, so that abandoned ones can be found. */
export function newPart(root: string): string {
  return join(root, PARTS_FOLDER, `${randomUUID()}.part`);
}

async function keepBody(job: MediaJob, body: Buffer): Promise<StoredFile> {
  const found = await inspect(FileWindow.ofBody(body), job.expectation);
  const part = newPart(job.root);
  return publish(job, part, found, () =>
    folders.within(dirname(part), job, () => onDisk(part, () => writePart(part, body))),
  );
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
  try {
    const found = await lookAt(part, job.expectation);
    return await publish(job, part, found, () => onDisk(part, () => openSync(part, 'r')));
  } catch (error) {
    await removePart(part);
    throw error;
  }
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
  try {
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
  } catch (error) {
    await removePart(part);
    throw error;
  }
}

/** Report only the first error. A part that cannot be removed now is swept later. */
async function removePart(part: string): Promise<void> {
  await rm(part, { force: true }).catch(() => undefined);
}

/** A file that exists but is not whole was changed by somebody, and counts as missing. */
async function find({ root, stem, expectation }: MediaJob): Promise<StoredFile | undefined> {
  const { family, extension: wanted } = expectation;
  for (const extension of wanted === undefined ? EXTENSIONS : [wanted]) {
    const key = `${stem}.${extension}`;
    const path = join(root, key);
    if (!(await isFile(path))) continue;
    const contentType = declaredTypeOf(extension);
    try {
      const found = await lookAt(path, { family, extension, ...(contentType === undefined ? {} : { contentType }) });
      return { key, ...found, extension };
    } catch (error) {
      if (!(error instanceof UnfitBody)) throw error;
    }
  }
  return undefined;
}

async function lookAt(path: string, expectation: Expectation): Promise<Omit<StoredFile, 'key'>> {
  const file = await onDisk(path, () => open(path, 'r'));
  try {
    const { size } = await file.stat();
    return await inspect(FileWindow.ofFile(file, size), expectation);
  } finally {
    await file.close();
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
