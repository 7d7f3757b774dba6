import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Bytes free for us where this folder is, or will be; null if the system does not say. Creates nothing. */
export async function freeDisk(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    const isMissing = typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
    const parent = dirname(folder);
    return isMissing && parent !== folder ? freeDisk(parent) : null;
  }
}
