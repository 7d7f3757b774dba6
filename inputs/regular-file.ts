import { messageOf } from '../contract/message-of.ts';
import { constants, createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { createHash, hash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';

/** A path does not lead to a regular file, but to a pipe, folder or device. */
export class NotRegular extends Error {
  constructor() {
    super('it is no regular file');
    this.name = 'NotRegular';
  }
}

/**
 * Opens a file in a folder that may come from somebody else. Throws {@link NotRegular} for anything but a regular file:
 * opening a pipe would block until somebody writes to it.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    // A socket.
    throw (error as { code?: unknown } | null)?.code === 'ENXIO' ? new NotRegular() : error;
  });
  try {
    if (!(await file.stat()).isFile()) throw new NotRegular();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Describes why a file that the user named cannot be read, as the end of a sentence. */
export function whyUnreadable(error: unknown): string {
  switch ((error as { readonly code?: unknown } | null)?.code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EACCES':
      return 'this user has no right to read it';
    default:
      return messageOf(error);
  }
}

/** Reads the text of a regular file. Throws {@link NotRegular} like {@link openRegular}. */
export async function readRegular(path: string): Promise<string> {
  const file = await openRegular(path);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Returns the sha256 of a file, in hex. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Returns one digest for the digests of several files, in their order; a single digest itself. */
export function combineDigests(digests: readonly string[]): string {
  const [only = ''] = digests;
  return digests.length === 1 ? only : hash('sha256', digests.join(' '), 'hex');
}
