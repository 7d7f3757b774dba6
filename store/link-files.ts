import { linkSync, lstatSync, mkdirSync, type BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import type { FurtherName, Linked } from './store.ts';

/** A further name for a file, with the file's path. */
export interface Link extends Omit<FurtherName, 'key'> {
  readonly source: string;
}

/**
 * Links files under further names. Meant for a thread: a synchronous disk call takes microseconds, and ten times that
 * with a promise each.
 */
export function linkFiles(links: readonly Link[]): readonly Linked[] {
  return links.map(linkFile);
}

function linkFile({ source, path, bytes }: Link): Linked {
  try {
    // Not what a symbolic link leads to: its further name would be a link, too.
    const stored = lstatSync(source, { bigint: true, throwIfNoEntry: false });
    if (stored?.isFile() !== true || stored.size !== BigInt(bytes)) return 'other';
    const there = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (there !== undefined) return isSame(there, stored) ? 'kept' : 'other';
    linkInFolder(source, path);
    return 'placed';
  } catch {
    // Another disk, no write permission, or another process was faster: the caller decides.
    return 'other';
  }
}

function isSame(one: BigIntStats, another: BigIntStats): boolean {
  return one.dev === another.dev && one.ino === another.ino;
}

/** Tries first, because the folder usually exists. */
function linkInFolder(source: string, path: string): void {
  try {
    linkSync(source, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true });
    linkSync(source, path);
  }
}
