import type { BigIntStats } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';

const NO_SUCH_FILE = 'no such file';

/**
 * Reads a file that a manifest names: at an absolute path, or else in the first of these folders that has it. Returns
 * what `read` returns; its `why` is `no such file` where there is none.
 */
export async function readInFolders<T extends object>(
  path: string,
  folders: readonly string[],
  read: (place: string, folder: string | undefined) => Promise<T | { readonly why: string }>,
): Promise<T | { readonly why: string }> {
  if (isAbsolute(path)) return read(path, undefined);
  for (const folder of folders) {
    const found = await read(resolve(folder, path), folder);
    if (!('why' in found) || found.why !== NO_SUCH_FILE) return found;
  }
  return { why: NO_SUCH_FILE };
}

/** Describes why such a file cannot be read, by the error of opening it. */
export function whyNotRead(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return NO_SUCH_FILE;
  return `a file that cannot be read${typeof code === 'string' ? ` (${code})` : ''}`;
}

/** Returns a text that changes with every change of a file, by its facts: identity, size and times. */
export function stateOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
