import { linkSync, lstatSync, mkdirSync, statSync, type BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import type { FurtherName, Linked } from './store.ts';

/** A further name for a file, with the path of the file itself. */
export interface Link extends Omit<FurtherName, 'key'> {
  readonly source: string;
}

/**
 * Links files under further names. Meant for a thread: a call to the disk takes microseconds here, and ten times that where each
 * has a promise of its own.
 */
export function linkFiles(links: readonly Link[]): readonly Linked[] {
  return links.map(linkFile);
}

function linkFile({ source, path, bytes }: Link): Linked {
  try {
    const stored = statSync(source, { bigint: true, throwIfNoEntry: false });
    if (stored?.size !== BigInt(bytes)) return 'other';
    const there = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (there !== undefined) return isSame(there, stored) ? 'kept' : 'other';
    linkInFolder(source, path);
    return 'placed';
  } catch {
    // Another disk, no right to write, or somebody was quicker: whoever asked looks into it.
    return 'other';
  }
}

function isSame(one: BigIntStats, another: BigIntStats): boolean {
  return one.dev === another.dev && one.ino === another.ino;
}

/** The folder is there, as a rule; where it is not, it is made. */
function linkInFolder(source: string, path: string): void {
  try {
    linkSync(source, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true });
    linkSync(source, path);
  }
}
