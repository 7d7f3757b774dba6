import { randomUUID } from 'node:crypto';
import { closeSync, fsync, openSync, renameSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { FileWindow } from './containers/file-window.ts';
import { Folders, onDisk } from './folders.ts';
import { inspect } from './inspect.ts';
import { StoreUnwritable } from './errors.ts';
import { findFile, lookAt, sizeOf, type MediaJob } from './media-job.ts';
import type { StoredFile } from './store.ts';

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
 * It may be ended anywhere and done again: a body gets a part file of its own each time, and the same final name; a part
 * that is gone has that name already.
 */
export async function doMediaJob(job: MediaJob): Promise<StoredFile | undefined> {
  const { from } = job;
  if (from === undefined) return findFile(job);
  if (typeof from === 'string') return keepPart(job, from);
  return keepBody(job, Buffer.from(from.buffer, from.byteOffset, from.byteLength));
}

/** A path for a file that is not complete yet. All are in one folder, so that abandoned ones can be found. */
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
    // Where the disk refuses its name, whoever received it may try again, and removes it in the end.
    if (!(error instanceof StoreUnwritable)) await removePart(part);
    throw error;
  }
}

/** The file of a part that is gone, under the name that it has. */
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
