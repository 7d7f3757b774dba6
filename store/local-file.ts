import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { LocalFile } from '../contract/row-kinds.ts';

/** A local file that was verified and is kept open. */
interface OpenedFile {
  /** Reads the content from its start. Throws {@link FileChanged} at the end if it has changed by then. */
  read(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** A file as it was when its row was checked. */
export type KnownFile = Pick<LocalFile, 'path' | 'bytes' | 'sha256'>;

/** A file has changed since its row was checked. */
class FileChanged extends Error {
  constructor(path: string, why: string) {
    super(`the file ${path} ${why}`);
    this.name = 'FileChanged';
  }
}

/** Codes of errors that say that a file cannot be opened. Others may be temporary, such as too many open files. */
export const UNAVAILABLE = new Set([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'EACCES',
  'EPERM',
  'ELOOP',
  'ENAMETOOLONG',
  'ENXIO',
]);

/** Bytes read at once. */
const CHUNK = 64 * 1024;

/**
 * Opens a file to send it in a paid request. Reads it completely first, so that no request starts with a file that is
 * missing or has changed since its row was checked; sending it reads and compares it again. Throws {@link FileChanged},
 * or a system error that may be temporary. The caller closes it.
 */
export async function openLocalFile(file: KnownFile): Promise<OpenedFile> {
  // Opening a pipe would otherwise block the thread until somebody writes to it.
  const handle = await open(file.path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    const code = String((error as { code?: unknown } | null)?.code);
    if (!UNAVAILABLE.has(code)) throw error;
    throw new FileChanged(file.path, `cannot be opened any more (${code})`);
  });
  try {
    if (!(await handle.stat()).isFile()) throw new FileChanged(file.path, 'is no file any more');
    const chunks = readChecked(handle, file);
    while ((await chunks.next()).done !== true);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { read: () => readChecked(handle, file), close: () => handle.close() };
}

/**
 * Reads a file. Throws {@link FileChanged} at its end if it differs from the known one, or as soon as it is too long.
 */
async function* readChecked(handle: FileHandle, file: KnownFile): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256');
  let at = 0;
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK), 0, CHUNK, at);
    if (bytesRead === 0) break;
    at += bytesRead;
    if (at > file.bytes) break;
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    yield chunk;
  }
  if (at !== file.bytes || hash.digest('hex') !== file.sha256) {
    throw new FileChanged(file.path, 'has changed since its row was checked');
  }
}
