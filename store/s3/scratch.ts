import { randomUUID } from 'node:crypto';
import { lstat, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OwnedFolder } from '../owner-file.ts';

const PREFIX = 'voxbatch-media-';
/** A folder of a dead process in which nothing has changed for this long is removed, ms: its id may be taken again. */
const ABANDONED_MS = 3_600_000;

/**
 * A folder of this process for copies and unfinished bodies, in the system's temporary folder (`TMPDIR`). Whoever
 * writes to it makes it first; most processes never do. Nobody can guess its name and make it before.
 */
export class Scratch {
  readonly folder: OwnedFolder = { root: join(tmpdir(), `${PREFIX}${String(process.pid)}-${randomUUID()}`) };

  /** Removes what killed processes of this user have left. Never fails. */
  async sweep(): Promise<void> {
    const names = await readdir(tmpdir()).catch(() => []);
    for (const name of names) {
      const [, pid] = /^voxbatch-media-(\d+)-/.exec(name) ?? [];
      const path = join(tmpdir(), name);
      if (pid === undefined || path === this.folder.root) continue;
      // In a container that was started again, the process before this one had the same id.
      if (Number(pid) !== process.pid && isAlive(Number(pid))) continue;
      if (await isAbandoned(path)) await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    await rm(this.folder.root, { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Whether it is this user's, and nothing in it was written to for long. */
async function isAbandoned(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() !== true || found.uid !== (process.getuid?.() ?? found.uid)) return false;
  const names = await readdir(path, { recursive: true }).catch(() => []);
  const all = await Promise.all(names.map((name) => stat(join(path, name)).catch(() => undefined)));
  const latest = Math.max(found.mtimeMs, ...all.map((one) => one?.mtimeMs ?? 0));
  return Date.now() - latest > ABANDONED_MS;
}
