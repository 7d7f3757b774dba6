import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { defaultOut } from '../contract/batch-name.ts';
import type { BatchIdentity } from '../ledger/batches/batch-records.ts';
import { parseOccurrence } from '../policy/schedules/occurrence.ts';
import {
  claimOut as claimOwned,
  ownershipOf as ownershipInFolder,
  type OutOwnership,
  type OwnerLedger,
} from '../results/out-owner.ts';
import { firstLink } from '../results/real-folders.ts';
import { codeOf } from '../results/files.ts';

/** A folder that cannot be created or written. */
export interface UnwritableOut {
  readonly type: 'unwritable';
  readonly cause: unknown;
}

/** A folder on the path is a symbolic link that the user did not name. */
type LinkedOut = Extract<OutOwnership, { readonly type: 'linked' }>;

/**
 * Creates the out folder for a batch of this name and proves that it is writable, before anything is paid for. Creates
 * nothing behind a symbolic link that may have come with the working folder. `out`: absolute path.
 */
export async function probeOut(
  out: string,
  batch: string,
): Promise<{ readonly type: 'writable' } | UnwritableOut | LinkedOut> {
  const probe = join(out, `.writable-${randomUUID()}`);
  try {
    const linked = await linkTo(out, batch);
    if (linked !== undefined) return linked;
    await makeFolder(out);
    await writeFile(probe, '');
    await rm(probe);
    return { type: 'writable' };
  } catch (cause) {
    return { type: 'unwritable', cause };
  }
}

/**
 * Claims the out folder for a batch, unless it cannot be written or holds files of others: marks it as this batch's
 * until a summary is written, which names the batch, too. Call it before anything is paid for. The folder is claimed
 * only if the answer is `own`.
 */
export async function claimOut(
  out: string,
  batch: BatchIdentity,
  ledger: OwnerLedger,
): Promise<OutOwnership | UnwritableOut> {
  const probed = await probeOut(out, batch.name);
  return probed.type === 'writable' ? claimOwned(out, batch, ledger) : probed;
}

/** Returns whether a batch may write its files into an out folder; see `results/out-owner.ts`. Changes nothing. */
export async function ownershipOf(out: string, batch: BatchIdentity, ledger: OwnerLedger): Promise<OutOwnership> {
  return (await linkTo(out, batch.name)) ?? ownershipInFolder(out, batch, ledger);
}

/**
 * Finds a symbolic link among our own folders on the path. A folder named by the user may be a link of theirs;
 * `out/NAME` in the working folder, or an occurrence's folder, may have come from somebody else.
 */
async function linkTo(out: string, batch: string): Promise<LinkedOut | undefined> {
  const isDefault = out === resolve(defaultOut(batch));
  const isOccurrence = parseOccurrence(batch) !== undefined && basename(out) === batch;
  const own = isDefault || isOccurrence ? [out] : [];
  const path = await firstLink(isDefault ? [dirname(out), ...own] : own);
  return path === undefined ? undefined : { type: 'linked', path };
}

/**
 * Creates a folder and its missing parents. Node's `recursive` option hangs where no folder can be created, such as in
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
