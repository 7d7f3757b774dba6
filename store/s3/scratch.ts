import { lstat, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreUnwritable } from '../errors.ts';
import type { OwnedFolder } from '../owner-file.ts';

const PREFIX = 'voxbatch-media-';
/** A folder of a dead process in which nothing has changed for this long is removed, ms: its id may be taken again. */
const ABANDONED_MS = 3_600_000;

/** A folder of this process for copies and unfinished bodies, in the system's temporary folder (`TMPDIR`). */
export class Scratch {
  #making: Promise<string> | undefined;

  /** Makes the folder when it is first asked for, or again if somebody has removed it. Throws `StoreUnwritable`. */
  async folder(): Promise<OwnedFolder> {
    const asked = this.#making;
    const before = await asked?.catch(() => undefined);
    // Of several callers, the first makes it anew.
    if (before === undefined || !(await isFolder(before))) {
      if (this.#making === asked) this.#making = make();
    }
    return { root: await (this.#making ??= make()) };
  }

  /** Removes what killed processes of this user have left. Never fails. */
  async sweep(): Promise<void> {
    const names = await readdir(tmpdir()).catch(() => []);
    for (const name of names) {
      const [, pid] = /^voxbatch-media-(\d+)-/.exec(name) ?? [];
      if (pid === undefined || isAlive(Number(pid))) continue;
      const path = join(tmpdir(), name);
      if (await isAbandoned(path)) await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    const folder = await this.#making?.catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function make(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), `${PREFIX}${String(process.pid)}-`));
  } catch (error) {
    throw new StoreUnwritable(tmpdir(), error);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
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
