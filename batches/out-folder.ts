import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BatchIdentity } from '../ledger/record-types.ts';
import { claimOut as claim, type OutStanding, type OwnerLedger } from '../results/out-owner.ts';
import { codeOf } from '../results/system-errors.ts';

/** A folder that cannot be made, or not be written. */
export interface UnwritableOut {
  readonly type: 'unwritable';
  readonly cause: unknown;
}

/** Creates the out folder and proves that it is writable, before anything is paid for. */
export async function probeOut(out: string): Promise<{ readonly type: 'writable' } | UnwritableOut> {
  const probe = join(out, `.writable-${randomUUID()}`);
  try {
    await makeFolder(out);
    await writeFile(probe, '');
    await rm(probe);
    return { type: 'writable' };
  } catch (cause) {
    return { type: 'unwritable', cause };
  }
}

/**
 * Claims the out folder for a batch: it is writable, overwrites nobody else's files, and is marked as this batch's
 * until the summary says so. Call it before anything is paid for. The folder is the batch's only if the answer is
 * `own`.
 */
export async function claimOut(
  out: string,
  batch: BatchIdentity,
  ledger: OwnerLedger,
): Promise<OutStanding | UnwritableOut> {
  const probed = await probeOut(out);
  return probed.type === 'unwritable' ? probed : claim(out, batch, ledger);
}

/**
 * Creates a folder, and those above it that are missing. Node's own way (`recursive`) never returns from a place where no folder can be, such as
 * `/proc`.
 */
async function makeFolder(path: string): Promise<void> {
  const above = dirname(path);
  try {
    await stat(path);
    return;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || above === path) throw error;
  }
  await makeFolder(above);
  await mkdir(path).catch((error: unknown) => {
    // Another process was faster.
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}
