import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { KernelLock } from '../embedded/kernel-lock.ts';
import type { Temporal } from './open-temporal.ts';
import { VoxbatchError } from './problem.ts';

/** Who takes the lock alone, to leave a note or to look, has it for no time at all. */
const GAP_MS = 20;
/** Another's share is another's only if it stays: a command that is just ending gives it back. */
const PATIENCE_MS = 1_000;

/**
 * Lets the workers of one Temporal server work on a ledger, and those of no other at the same time. Two servers know nothing of each
 * other: each would hold the rows for its own, take requests that are on the wire for lost ones, and with `--on-unknown resubmit`
 * pay for them again.
 *
 * Beside the ledger lies a lock that the kernel keeps, shared by all who work on it, and a note of whose they are. Who has the
 * lock alone for a moment knows that nobody works on it, and writes the note; the others compare it. A process that dies
 * loses its share at that moment, so a ledger may move to another server at any time that nobody works on it.
 *
 * Returns what gives the share back. Throws {@link VoxbatchError} (`ledger-in-use`) while another server's workers have it.
 */
export async function lockLedger(file: string, temporal: Temporal, home: string): Promise<() => void> {
  const lock = new KernelLock(lockOf(file));
  const note = `${realpathSync(file)}.server`;
  // Two ways to name one folder are one.
  const server = temporal.isEmbedded ? `the embedded one in ${realpathSync(home)}` : await nameOf(temporal);
  const close = (): void => {
    lock.close();
  };
  try {
    const givesUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      if (lock.tryAlone()) {
        writeFileSync(note, server, { mode: 0o600 });
        lock.release();
      }
      if (lock.tryShared()) {
        const holder = readFileSync(note, 'utf8');
        if (holder === server) return close;
        lock.release();
        if (performance.now() > givesUpAt) {
          throw new VoxbatchError({ type: 'ledger-in-use', ledger: file, holder });
        }
      }
      await sleep(GAP_MS);
    }
  } catch (error) {
    close();
    throw error;
  }
}

/** Whether a worker of any server has this ledger. Makes nothing. */
export function isWorkedOn(file: string): boolean {
  if (!existsSync(lockOf(file))) return false;
  const lock = new KernelLock(lockOf(file));
  try {
    return !lock.tryAlone();
  } finally {
    lock.close();
  }
}

/** Two ways to name one file are one. */
function lockOf(file: string): string {
  return `${realpathSync(file)}.lock`;
}

/** A namespace has an id of its own, however its address is written; where that may not be read, the address must do. */
async function nameOf({ client, namespace, address }: Temporal): Promise<string> {
  const id = await readNamespaceId(client, namespace);
  return `namespace ${namespace} ${id === undefined ? `at ${address}` : `(${id})`}`;
}

async function readNamespaceId(client: Client, namespace: string): Promise<string | undefined> {
  try {
    const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
    return namespaceInfo?.id ?? undefined;
  } catch {
    return undefined;
  }
}
