import { randomUUID } from 'node:crypto';
import { closeSync, fsync, openSync, renameSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Folders, onDisk } from './folders.ts';
import type { OwnedFolder } from './owner-file.ts';

/** Read-only: users have hard links to these files, and a tool that writes in place would spoil what was paid for. */
export const FILE_MODE = 0o444;

/** Folder in the store for files that are not complete yet. */
export const PARTS_FOLDER = '.parts';

const syncFile = promisify(fsync);
const folders = new Folders();

/** A path for a partial file. All are in one folder, so that abandoned ones can be found. */
export function newPart(root: string): string {
  return join(root, PARTS_FOLDER, `${randomUUID()}.part`);
}

/**
 * Writes a body to a folder under this key, whole or not at all. Meant for a thread: it blocks during the short disk
 * calls. The slow syncs run concurrently. Throws `StoreUnwritable`.
 */
export async function putBody(folder: OwnedFolder, key: string, body: Buffer): Promise<void> {
  const part = newPart(folder.root);
  try {
    await publish(folder, key, part, () =>
      folders.within(dirname(part), folder, () => onDisk(part, () => writePart(part, body))),
    );
  } catch (error) {
    await removePart(part);
    throw error;
  }
}

/**
 * Gives a part file in the same folder its final name. If that fails, the part file stays. Throws `StoreUnwritable`.
 */
export function putPart(folder: OwnedFolder, key: string, part: string): Promise<void> {
  return publish(folder, key, part, () => onDisk(part, () => openSync(part, 'r')));
}

/** Report only the first error. A part that cannot be removed now is swept later. */
export async function removePart(part: string): Promise<void> {
  await rm(part, { force: true }).catch(() => undefined);
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

/** Syncs the part file, gives it its name, and syncs that. */
async function publish(folder: OwnedFolder, key: string, part: string, openPart: () => Promise<number>): Promise<void> {
  const path = join(folder.root, key);
  const file = await openPart();
  try {
    await onDisk(part, () => syncFile(file));
  } finally {
    closeSync(file);
  }
  await folders.within(dirname(path), folder, () =>
    onDisk(path, () => {
      renameSync(part, path);
      return folders.sync(dirname(path));
    }),
  );
}
