import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { KernelLock } from '../../embedded/kernel-lock.ts';
import { lockAgainstWorkers, lockForWorkers, UNNAMED, type WorkersLock } from '../database/lock-for-workers.ts';
import type { Locks, Unlock } from '../driver.ts';
import { SameFiles } from './same-files.ts';

/** Pause between two attempts to lock for loading, ms. Loading takes seconds. */
const LOADING_GAP_MS = 50;
/** Pause between two attempts to lock for replacing files, ms. Replacing takes hundredths of a second. */
const FILES_GAP_MS = 10;

/**
 * The locks of a ledger in SQLite: files beside it, locked by the kernel, which releases the locks of dead processes.
 */
export function fileLocks(file: string): Locks {
  const sameFiles = new SameFiles(file);
  return {
    lockForWorkers: async (server, onLost) => {
      const unlock = await lockForWorkers(workersLock(file), file, server);
      const forget = sameFiles.watch(besides(file, 'lock'), onLost);
      return () => {
        forget();
        unlock();
      };
    },
    whenHeld: () =>
      new Promise((resolve) => {
        sameFiles.check();
        resolve();
      }),
    lockAgainstWorkers: async () => lockAgainstWorkers(workersLock(file), file),
    isWorkedOn: () =>
      new Promise((resolve) => {
        resolve(isWorkedOn(file));
      }),
    workersServer: () =>
      new Promise((resolve) => {
        resolve(isWorkedOn(file) ? (readNote(file) ?? UNNAMED) : undefined);
      }),
    lockForLoading: () => lockExclusively(file, 'loading', LOADING_GAP_MS),
    lockForFiles: () => lockExclusively(file, 'files', FILES_GAP_MS),
  };
}

function workersLock(file: string): WorkersLock {
  const lock = new KernelLock(besides(file, 'lock'));
  const note = besides(file, 'server');
  const release = (): void => {
    lock.release();
  };
  return {
    tryExclusive: () => lock.tryExclusive(),
    tryShared: () => lock.tryShared(),
    ...{ releaseExclusive: release, releaseShared: release },
    readNote: () => readNote(file),
    writeNote: (server) => {
      // Created anew, so that no link is followed. Readers need a shared lock, and we hold it exclusively.
      rmSync(note, { force: true });
      writeFileSync(note, server, { flag: 'wx', mode: 0o600 });
    },
    close: () => {
      lock.close();
    },
  };
}

/** Returns the address of the workers' Temporal server; undefined if none was ever recorded. */
function readNote(file: string): string | undefined {
  const note = besides(file, 'server');
  return existsSync(note) ? readFileSync(note, 'utf8') : undefined;
}

/** Whether a process holds the workers' lock. */
function isWorkedOn(file: string): boolean {
  if (!existsSync(besides(file, 'lock'))) return false;
  const lock = new KernelLock(besides(file, 'lock'));
  try {
    return !lock.tryExclusive();
  } finally {
    lock.close();
  }
}

/** Takes a lock exclusively. Waits while another process holds it. */
async function lockExclusively(file: string, suffix: string, gapMs: number): Promise<Unlock> {
  const lock = new KernelLock(besides(file, suffix));
  try {
    while (!lock.tryExclusive()) await sleep(gapMs);
    return () => {
      lock.close();
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Returns the path of a file beside the ledger, the same for all paths to one ledger. */
export function besides(file: string, suffix: string): string {
  return `${realpathSync(file)}.${suffix}`;
}
