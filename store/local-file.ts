import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** A file of this machine that was found unchanged, and stays open. */
interface OpenedFile {
  /** The content from its first byte. Breaks where it turns out to have changed since. */
  read(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** What a file was when its row was checked. */
interface KnownFile {
  readonly path: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** A file is not what it was when its row was checked. */
class FileChanged extends Error {
  constructor(path: string, why: string) {
    super(`the file ${path} ${why}`);
    this.name = 'FileChanged';
  }
}

/** Errors that say that the file is not there for us. All others may pass: too many open files, a disk that stumbles. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'ENXIO']);

/** Bytes read at once. */
const CHUNK = 64 * 1024;

/**
 * Opens a file and reads it whole, so that a request is not even begun with a file that is missing or has another
 * content than when its row was checked. The same open file is read again as it is sent, and compared again. Throws {@link
 * FileChanged}, or the error of a system call that may pass.
 */
export async function openLocalFile(file: KnownFile): Promise<OpenedFile> {
  // A pipe would keep the thread that opens it until somebody writes to it.
  const handle = await open(file.path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    const code = String((error as { code?: unknown } | null)?.code);
    if (!GONE.has(code)) throw error;
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

/** Reads the whole file. Throws at its end, or as soon as it is too long, if it is not the file that was checked. */
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
