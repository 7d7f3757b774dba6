import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BatchIdentity } from '../ledger/record-types.ts';
import { claimOut as claim, standingOf, type OutStanding } from '../results/out-owner.ts';
import { ExitError, messageOf } from './exit-error.ts';

/** Makes the out folder and proves that it can be written, before anything is paid for. */
export async function requireWritableOut(out: string): Promise<void> {
  const probe = join(out, `.writable-${randomUUID()}`);
  try {
    await mkdir(out, { recursive: true });
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    throw new ExitError(
      'usage',
      `The output folder ${out} cannot be written: ${messageOf(error)}. Choose another with --out FOLDER. Nothing was spent.`,
      { cause: error },
    );
  }
}

/** Makes sure that the files of a batch would overwrite nobody else's. Throws {@link ExitError} `usage`. Changes nothing. */
export async function requireOwnOut(out: string, batch: BatchIdentity): Promise<void> {
  refuseTaken(out, await standingOf(out, batch));
}

/**
 * Makes the out folder that of a batch: it can be written, overwrites nobody else's files, and is marked as this batch's until the
 * summary says so. Called before anything is paid for. Throws {@link ExitError} `usage`.
 */
export async function claimOut(out: string, batch: BatchIdentity): Promise<void> {
  await requireWritableOut(out);
  refuseTaken(out, await claim(out, batch));
}

function refuseTaken(out: string, standing: OutStanding): void {
  if (standing.is !== 'taken') return;
  throw new ExitError(
    'usage',
    `The output folder ${out} ${standing.by}, and the results of this batch would overwrite it. ` +
      'Nothing was written, nothing was spent. Run the same command with --out NEW-FOLDER, or move that folder away first.',
  );
}
