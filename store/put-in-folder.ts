import { randomUUID } from 'node:crypto';
import { closeSync, fsync, openSync, renameSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Folders, onDisk } from './folders.ts';
import type { OwnedFolder } from './owner-file.ts';

/** Read-only: users have hard links to these files, and a tool that writes in place would destroy paid results. */
export const FILE_MODE = 0o444;

/** Folder in the store for incomplete files (part files). */
export const PARTS_FOLDER = '.parts';

const syncFile = promisify(fsync);
const folders = new Folders();

/** Returns a new path for a part file. All are in one folder, so that abandoned ones can be found. */
export function newPart(root: string): string {
  return join(root, PARTS_FOLDER, `${randomUUID()}.part`);
}

/**
 * Stores a body in a folder under this key, completely or not at all. Runs in a media thread: it blocks during short
 * disk calls, but not during syncs. Throws `StoreUnwritable`.
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
 * Renames a part file of the same folder to its key. If that fails, the part file stays. Throws `StoreUnwritable`.
 */
export function putPart(folder: OwnedFolder, key: string, part: string): Promise<void> {
  return publish(folder, key, part, () => onDisk(part, () => openSync(part, 'r')));
}

/** Removes a part file. Never fails: a file that stays is swept later. */
export async function removePart(part: string): Promise<void> {
  await rm(part, { force: true }).catch(() => undefined);
}

/** Writes a new part file. Returns its open descriptor. */
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

/** Syncs the part file, renames it to its key, and syncs the folder, so that the name survives a power cut. */
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
