import { orElse } from '../contract/or-else.ts';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { makeHome, pathsIn, type HomePaths } from './home.ts';
import { KernelLock } from './kernel-lock.ts';

const upRecord = z.object({ pid: z.int().positive(), isReady: z.boolean() });

/** Content of `up.json`. Only the lock tells whether that process lives. */
type UpRecord = z.infer<typeof upRecord>;

/** State of the `up` of a home. `ready`: its server answers and its worker takes work. */
export type UpStatus =
  { readonly type: 'none' } | { readonly type: 'starting' } | { readonly type: 'ready'; readonly pid: number };

/** The claim of the one `up` of a home. */
export interface UpClaim {
  /** Announces that this process is ready. */
  markReady(): void;
  /** Releases the claim. May be called again. */
  release(): void;
}

/** How long to wait for processes that hold the lock only for a moment, to check it, in ms. */
const CHECKERS_MS = 3_000;
/** Interval between attempts, in ms. */
const GAP_MS = 25;
/**
 * Consecutive attempts that must find the lock held exclusively before the holder counts as an `up`; a mere attempt
 * holds it only for a moment.
 */
const TRIES_TO_GIVE_UP = 5;

/**
 * Claims a home for this process's `up`; undefined if another one has it. The kernel holds the claim, so it ends with
 * its process, however that dies. `checkersMs`: how long to wait for processes that only check the lock; default 3 s.
 */
export async function claimUp(home: string, checkersMs = CHECKERS_MS): Promise<UpClaim | undefined> {
  const paths = makeHome(home);
  const lock = new KernelLock(paths.upLock);
  if (!(await lockUnlessUp(lock, checkersMs))) {
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

/**
 * Acquires the lock, waiting while other processes only check it. Returns false if an `up` turns out to hold it, or
 * after `checkersMs`.
 */
async function lockUnlessUp(lock: KernelLock, checkersMs: number): Promise<boolean> {
  const end = performance.now() + checkersMs;
  for (let heldExclusively = 0; heldExclusively < TRIES_TO_GIVE_UP && performance.now() < end;) {
    if (lock.tryExclusive()) return true;
    heldExclusively = lock.tryShared() ? 0 : heldExclusively + 1;
    lock.release();
    await pause(GAP_MS);
  }
  return false;
}

/** Returns the state of a home's `up`. Creates nothing. */
export function findUp(home: string): UpStatus {
  const paths = pathsIn(home);
  if (!existsSync(paths.upLock)) return { type: 'none' };
  const lock = new KernelLock(paths.upLock);
  try {
    // A shared lock, so that two concurrent checks do not mistake each other for an `up`.
    if (lock.tryShared()) return { type: 'none' };
  } finally {
    lock.close();
  }
  const record = orElse(() => upRecord.parse(JSON.parse(readFileSync(paths.upRecord, 'utf8'))), undefined);
  // If the recorded process is dead, the record is from an earlier `up`, and the new one has just taken the lock.
  return record?.isReady === true && isAlive(record.pid) ? { type: 'ready', pid: record.pid } : { type: 'starting' };
}

function writeRecord({ upRecord: file }: HomePaths, record: UpRecord): void {
  writeFileSync(`${file}.part`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(`${file}.part`, file);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is alive, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
