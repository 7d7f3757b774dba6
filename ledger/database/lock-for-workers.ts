import { setTimeout as sleep } from 'node:timers/promises';
import type { Unlock } from '../driver.ts';
import { LedgerInUse } from '../errors.ts';

/** Retry interval while another process holds the lock exclusively for a moment, to write or check the note, ms. */
const GAP_MS = 20;
/** How long another process's lock must last to count, ms: a command that is just ending releases its own. */
const PATIENCE_MS = 1_000;

/** Stands for the address of a server whose workers have not written the note yet. */
export const UNNAMED = 'one which has not said its address yet';

/** A lock that processes hold shared or exclusively, and the note beside it: the address of their Temporal server. */
export interface WorkersLock {
  tryExclusive(): boolean | Promise<boolean>;
  releaseExclusive(): void | Promise<void>;
  tryShared(): boolean | Promise<boolean>;
  releaseShared(): void | Promise<void>;
  /** Undefined if no process has written one yet. */
  readNote(): string | undefined | Promise<string | undefined>;
  writeNote(server: string): void | Promise<void>;
  /** Releases whatever this process holds. */
  readonly close: Unlock;
}

/**
 * All processes that work on the ledger share a lock; a note next to it names their server. A process that briefly
 * holds the lock exclusively knows that nobody works on the ledger, and writes the note; the others compare it. A
 * process that dies loses its share at that moment, so a ledger may move to another server whenever nobody works on it.
 *
 * Returns the function that releases the lock. Throws {@link LedgerInUse} if workers of another server hold it.
 * `place`: the ledger, for that message.
 */
export async function lockForWorkers(lock: WorkersLock, place: string, server: string): Promise<Unlock> {
  try {
    const givesUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      if (await lock.tryExclusive()) {
        await lock.writeNote(server);
        await lock.releaseExclusive();
      }
      if (await lock.tryShared()) {
        // Before the first note, two starting processes may both find none; one of them writes it next.
        const holder = await lock.readNote();
        if (holder === server) return lock.close;
        await lock.releaseShared();
        if (performance.now() > givesUpAt) {
          throw new LedgerInUse(place, holder ?? UNNAMED);
        }
      }
      await sleep(GAP_MS);
    }
  } catch (error) {
    lock.close();
    throw error;
  }
}

/**
 * Holds the lock exclusively, so that no worker starts. Waits up to a second for a process that only checks the lock.
 * Returns the function that releases it. Throws {@link LedgerInUse} if workers hold it. `place`: the ledger, for that
 * message.
 */
export async function lockAgainstWorkers(lock: WorkersLock, place: string): Promise<Unlock> {
  try {
    const givesUpAt = performance.now() + PATIENCE_MS;
    while (!(await lock.tryExclusive())) {
      if (performance.now() > givesUpAt) throw new LedgerInUse(place, (await lock.readNote()) ?? 'unknown');
      await sleep(GAP_MS);
    }
    return lock.close;
  } catch (error) {
    lock.close();
    throw error;
  }
}
