import { claimOut as claim, probeOut, type UnwritableOut } from '../batches/out-folder.ts';
import type { BatchIdentity } from '../ledger/record-types.ts';
import { standingOf, type OutStanding } from '../results/out-owner.ts';
import { messageOf } from '../client/problem.ts';
import { ExitError } from './exit-error.ts';

/** Makes the out folder and proves that it can be written, before anything is paid for. Throws {@link ExitError} `usage`. */
export async function requireWritableOut(out: string): Promise<void> {
  refuse(out, await probeOut(out));
}

/** Makes sure that the files of a batch would overwrite nobody else's. Throws {@link ExitError} `usage`. Changes nothing. */
export async function requireOwnOut(out: string, batch: BatchIdentity): Promise<void> {
  refuse(out, await standingOf(out, batch));
}

/** Makes the out folder that of a batch; see `batches/out-folder.ts`. Throws {@link ExitError} `usage`. */
export async function claimOut(out: string, batch: BatchIdentity): Promise<void> {
  refuse(out, await claim(out, batch));
}

function refuse(out: string, found: OutStanding | UnwritableOut | { readonly is: 'writable' }): void {
  if (found.is === 'unwritable') {
    const { cause } = found;
    throw new ExitError(
      'usage',
      `The output folder ${out} cannot be written: ${messageOf(cause)}. Choose another with --out FOLDER. Nothing was spent.`,
      { cause },
    );
  }
  if (found.is !== 'taken') return;
  throw new ExitError(
    'usage',
    `The output folder ${out} ${found.by}, and the results of this batch would overwrite it. ` +
      'Nothing was written, nothing was spent. Run the same command with --out NEW-FOLDER, or move that folder away first.',
  );
}
