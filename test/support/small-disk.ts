import { execFile } from 'node:child_process';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A disk of its own that can be full or read-only, for processes of any user. */
export interface SmallDisk {
  readonly path: string;
  /** Takes every byte that is free now, and none that somebody frees meanwhile: a worker needs its reserve to say why it ends. */
  fill(): Promise<void>;
  /** Takes {@link SmallDisk.fill} back. */
  empty(): Promise<void>;
  remount(options: 'ro' | 'rw'): Promise<void>;
  close(): Promise<void>;
}

/** Mounts a small disk in memory. Undefined where this user may not mount: a test then has another way to show the same. */
export async function mountSmallDisk(path: string, bytes: number): Promise<SmallDisk | undefined> {
  await mkdir(path);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${String(bytes)},mode=0777`, 'tmpfs', path]);
  } catch {
    await rm(path, { recursive: true });
    return undefined;
  }
  const filler = join(path, 'filler');
  return {
    path,
    fill: async () => {
      const { bavail, bsize } = await statfs(path);
      // It ends as a full disk does where others write meanwhile.
      await writeFile(filler, Buffer.alloc(bavail * bsize)).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      });
    },
    empty: () => rm(filler),
    remount: async (options) => {
      await run('mount', ['-o', `remount,${options}`, path]);
    },
    close: async () => {
      await run('umount', ['-l', path]);
      await rm(path, { recursive: true });
    },
  };
}
