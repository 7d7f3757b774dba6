import { existsSync } from 'node:fs';
import { pathsIn } from '../../embedded/home.ts';
import { KernelLock } from '../../embedded/kernel-lock.ts';
import { ServerUnavailable } from '../../embedded/server-unavailable.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/**
 * Whether a process may be working in a home: a live member of its embedded server, or one that is joining or leaving.
 * Creates and starts nothing. Joining and leaving processes hold the starting lock, so this check never gets in their
 * way.
 */
export function isAnybodyIn(home: string): boolean {
  const { membersLock, startingLock } = pathsIn(home);
  if (!existsSync(membersLock)) return false;
  const locks: KernelLock[] = [];
  const isHeld = (path: string): boolean => {
    const lock = new KernelLock(path);
    locks.unshift(lock);
    return !lock.tryAlone();
  };
  try {
    return isHeld(startingLock) || isHeld(membersLock);
  } finally {
    for (const lock of locks) lock.close();
  }
}

/** Whether certainly nobody works on any batch of this ledger, or is about to in this home. */
export async function isDeserted(ledger: Ledger, home: string): Promise<boolean> {
  try {
    return !(await ledger.isWorkedOn()) && !isAnybodyIn(home);
  } catch (error) {
    if (error instanceof ServerUnavailable) return false;
    throw error;
  }
}
