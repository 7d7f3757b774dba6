import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { KernelLock } from '../../embedded/kernel-lock.ts';
import { LedgerInUse } from '../errors.ts';
import type { LockMethods, Unlock } from '../driver.ts';

/** Retry interval while another process briefly holds the lock exclusively, to write or check the note, ms. */
const GAP_MS = 20;
/** How long another's share must last to count, ms: a command that is just ending releases its own. */
const PATIENCE_MS = 1_000;
/** Pause between two attempts to lock for loading, ms. Loading takes seconds. */
const LOADING_GAP_MS = 50;
/** Pause between two attempts to lock for replacing files, ms. Replacing takes hundredths of a second. */
const FILES_GAP_MS = 10;

/** The locks of a ledger: files beside it, locked by the kernel. */
export function fileLocks(file: string): LockMethods {
  return {
    lockForWorkers: (server) => lockForWorkers(file, server),
    isWorkedOn: () =>
      new Promise((resolve) => {
        resolve(isWorkedOn(file));
      }),
    lockForLoading: () => lockAlone(file, 'loading', LOADING_GAP_MS),
    lockForFiles: () => lockAlone(file, 'files', FILES_GAP_MS),
  };
}

/**
 * All processes that work on the ledger share a lock; a note next to it names their server. A process that briefly
 * holds the lock exclusively knows that nobody works on the ledger, and writes the note; the others compare it. A
 * process that dies loses its share at that moment, so a ledger may move to another server whenever nobody works on it.
 */
async function lockForWorkers(file: string, server: string): Promise<Unlock> {
  const lock = new KernelLock(besides(file, 'lock'));
  const note = besides(file, 'server');
  const close = (): void => {
    lock.close();
  };
  try {
    const givesUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      if (lock.tryAlone()) {
        // Created anew, so that no link is followed. Readers need a shared lock, and we hold it exclusively.
        rmSync(note, { force: true });
        writeFileSync(note, server, { flag: 'wx', mode: 0o600 });
        lock.release();
      }
      if (lock.tryShared()) {
        // Before the first note, two starting processes may both find none; one of them writes it next.
        const holder = existsSync(note) ? readFileSync(note, 'utf8') : undefined;
        if (holder === server) return close;
        lock.release();
        if (performance.now() > givesUpAt) throw new LedgerInUse(file, holder ?? 'which has not said its address yet');
      }
      await sleep(GAP_MS);
    }
  } catch (error) {
    close();
    throw error;
  }
}

function isWorkedOn(file: string): boolean {
  if (!existsSync(besides(file, 'lock'))) return false;
  const lock = new KernelLock(besides(file, 'lock'));
  try {
    return !lock.tryAlone();
  } finally {
    lock.close();
  }
}

async function lockAlone(file: string, suffix: string, gapMs: number): Promise<Unlock> {
  const lock = new KernelLock(besides(file, suffix));
  try {
    while (!lock.tryAlone()) await sleep(gapMs);
    return () => {
      lock.close();
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** A file beside the ledger. Two paths to one ledger are one. */
export function besides(file: string, suffix: string): string {
  return `${realpathSync(file)}.${suffix}`;
}
