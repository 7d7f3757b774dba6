import { randomUUID } from 'node:crypto';
import { lstat, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OwnedFolder } from '../owner-file.ts';

/** Start of the names of all such folders; the process id follows. */
const PREFIX = 'voxbatch-media-';
/** The folder of a dead process is removed after this long without a change, ms: its process id may be in use again. */
const ABANDONED_MS = 3_600_000;

/**
 * A temporary folder of this process, for local copies and unfinished bodies, below `TMPDIR`. The first write creates
 * it. Its name is random, so that nobody else can create it before.
 */
export class Scratch {
  readonly folder: OwnedFolder = { root: join(tmpdir(), `${PREFIX}${String(process.pid)}-${randomUUID()}`) };

  /** Removes the folders that killed processes of this user have left. Never fails. */
  async sweep(): Promise<void> {
    const names = await readdir(tmpdir()).catch(() => []);
    for (const name of names) {
      const [, pid] = /^voxbatch-media-(\d+)-/.exec(name) ?? [];
      const path = join(tmpdir(), name);
      if (pid === undefined || path === this.folder.root) continue;
      // In a restarted container, the previous process had the same id as this one.
      if (Number(pid) !== process.pid && isAlive(Number(pid))) continue;
      if (await isAbandoned(path)) await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  /** Removes the folder. Never fails. */
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

/** Whether a folder is this user's, and nothing in it has changed for {@link ABANDONED_MS}. */
async function isAbandoned(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() !== true || found.uid !== (process.getuid?.() ?? found.uid)) return false;
  const names = await readdir(path, { recursive: true }).catch(() => []);
  const all = await Promise.all(names.map((name) => stat(join(path, name)).catch(() => undefined)));
  const latest = Math.max(found.mtimeMs, ...all.map((one) => one?.mtimeMs ?? 0));
  return Date.now() - latest > ABANDONED_MS;
}
