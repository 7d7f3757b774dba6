import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { makeHome, pathsIn, type HomePaths } from './home.ts';
import { KernelLock, lockExclusively } from './kernel-lock.ts';

const upRecord = z.object({ pid: z.int().positive(), isReady: z.boolean() });

/** Content of `up.json`. Only the lock tells whether that process lives. */
type UpRecord = z.infer<typeof upRecord>;

/** The `up` of a home. `ready`: its server answers and its worker takes work. */
export type UpStanding =
  { readonly type: 'none' } | { readonly type: 'starting' } | { readonly type: 'ready'; readonly pid: number };

/** Held by the one `up` of a home. */
export interface UpClaim {
  /** Tells whoever waits for it that this process is ready. */
  markReady(): void;
  /** Makes room for another. May be called again. */
  release(): void;
}

/** Somebody who only looks holds the lock for a moment; a wait this long outlasts that, ms. */
const LOOKERS_MS = 3_000;

/**
 * Claims a home for the `up` of this process; undefined: another one has it. The kernel holds the claim, so it ends with
 * its process, however that dies.
 */
export async function claimUp(home: string): Promise<UpClaim | undefined> {
  const paths = makeHome(home);
  const lock = new KernelLock(paths.upLock);
  if (!(await lockExclusively(lock, { timeoutMs: LOOKERS_MS }))) {
    lock.close();
    return undefined;
  }
  const { pid } = process;
  writeRecord(paths, { pid, isReady: false });
  let isReleased = false;
  return {
    markReady: () => {
      writeRecord(paths, { pid, isReady: true });
    },
    release: () => {
      if (isReleased) return;
      isReleased = true;
      rmSync(paths.upRecord, { force: true });
      lock.close();
    },
  };
}

/** Who is `up` in a home. Creates nothing. */
export function findUp(home: string): UpStanding {
  const paths = pathsIn(home);
  if (!existsSync(paths.upLock)) return { type: 'none' };
  const lock = new KernelLock(paths.upLock);
  try {
    // Shared, so that two who look do not take each other for an `up`.
    if (lock.tryShared()) return { type: 'none' };
  } finally {
    lock.close();
  }
  const record = readRecord(paths);
  // The record of a dead one belongs to an `up` before this one, which has just taken the lock.
  return record?.isReady === true && isAlive(record.pid) ? { type: 'ready', pid: record.pid } : { type: 'starting' };
}

function writeRecord({ upRecord: file }: HomePaths, record: UpRecord): void {
  writeFileSync(`${file}.part`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(`${file}.part`, file);
}

function readRecord({ upRecord: file }: HomePaths): UpRecord | undefined {
  try {
    return upRecord.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
