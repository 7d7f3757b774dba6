import { existsSync, readFileSync } from 'node:fs';
import { orElse } from '../../contract/or-else.ts';
import { pathsIn } from '../../embedded/home.ts';
import { KernelLock, lockHolders } from '../../embedded/kernel-lock.ts';
import { startTimeOf } from '../../embedded/process-identity.ts';
import { ServerUnavailable } from '../../embedded/server-unavailable.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/**
 * Whether a process may be working in a home: a live member (user) of its embedded server, or one that is joining or
 * leaving.
 * Creates and starts nothing. Joining and leaving processes hold the starting lock, so this check never gets in their
 * way.
 */
export function isHomeInUse(home: string): boolean {
  const { membersLock, startingLock } = pathsIn(home);
  if (!existsSync(membersLock)) return false;
  const locks: KernelLock[] = [];
  const isHeld = (path: string): boolean => {
    const lock = new KernelLock(path);
    locks.unshift(lock);
    return !lock.tryExclusive();
  };
  try {
    return isHeld(startingLock) || isHeld(membersLock);
  } finally {
    for (const lock of locks) lock.close();
  }
}

/** True if certainly no process works on any batch of this ledger, or is about to in this home. */
export async function isDeserted(ledger: Ledger, home: string): Promise<boolean> {
  try {
    return !(await ledger.isWorkedOn()) && !isHomeInUse(home);
  } catch (error) {
    if (error instanceof ServerUnavailable) return false;
    throw error;
  }
}

/** A process that works in a home. */
export interface HomeProcess {
  readonly pid: number;
  /** Its command, such as `run`; null for a program with the library. */
  readonly command: string | null;
  /** When it started, ms. */
  readonly startedAt: number;
  /** Started in the background by a command such as `run --detach`, without a terminal or a service manager. */
  readonly isDetached: boolean;
}

/** Lists the processes that work in a home. Empty on systems that do not show them, such as macOS. */
export function processesIn(home: string): readonly HomeProcess[] {
  return lockHolders([pathsIn(home).membersLock]).flatMap((pid) => {
    const startedAt = startTimeOf(pid);
    // The process has just ended.
    if (startedAt === undefined) return [];
    const args = orElse(() => readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8'), '').split('\0');
    const cli = args.findIndex((arg) => /(^|[/])(cli[.][jt]s|voxbatch)$/u.test(arg));
    const command = cli < 0 ? null : (args[cli + 1] ?? null);
    return { pid, command, startedAt, isDetached: command === 'up' && args.includes('--until-idle') };
  });
}
