import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathsIn } from '../embedded/home.ts';
import { KernelLock } from '../embedded/kernel-lock.ts';
import { ServerUnavailable } from '../embedded/server-unavailable.ts';
import type { Settings } from './settings.ts';

/**
 * Whether somebody may be at work in a home: a live member of its embedded server, or one that comes or goes. Makes nothing
 * and starts nothing. Whoever joins or leaves holds the starting lock, so one who only looks never stands in their way.
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

/** Whether it is certain that nobody works on any batch of this ledger. A cluster's workers cannot be seen from here. */
export function isDeserted({ cluster, home, ledger }: Pick<Settings, 'cluster' | 'home' | 'ledger'>): boolean {
  // A ledger elsewhere may be worked on from another home.
  if (cluster !== undefined || ledger !== resolve(home, 'ledger.db')) return false;
  try {
    return !isAnybodyIn(home);
  } catch (error) {
    if (error instanceof ServerUnavailable) return false;
    throw error;
  }
}
