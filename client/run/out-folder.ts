import { claimOut as claim, probeOut, standingOf, type UnwritableOut } from '../../batches/out-folder.ts';
import type { BatchIdentity } from '../../ledger/record-types.ts';
import type { OutStanding, OwnerLedger } from '../../results/out-owner.ts';
import { VoxbatchError } from '../problem.ts';

/**
 * Creates the out folder of a batch of this name and checks that it is writable, before anything is paid for. Throws
 * {@link VoxbatchError} (`unwritable-out`, `linked-out`).
 */
export async function requireWritableOut(out: string, batch: string): Promise<void> {
  refuse(out, await probeOut(out, batch));
}

/**
 * Checks that the files of a batch would overwrite nobody else's. Throws {@link VoxbatchError} (`taken-out`,
 * `linked-out`). Changes nothing.
 */
export async function requireOwnOut(out: string, batch: BatchIdentity, ledger: OwnerLedger): Promise<void> {
  refuse(out, await standingOf(out, batch, ledger));
}

/**
 * Claims the out folder for a batch; see `batches/out-folder.ts`. Throws {@link VoxbatchError} (`unwritable-out`,
 * `taken-out`, `linked-out`).
 */
export async function claimOut(out: string, batch: BatchIdentity, ledger: OwnerLedger): Promise<void> {
  refuse(out, await claim(out, batch, ledger));
}

function refuse(out: string, found: OutStanding | UnwritableOut | { readonly type: 'writable' }): void {
  if (found.type === 'unwritable') throw new VoxbatchError({ type: 'unwritable-out', out, cause: found.cause });
  if (found.type === 'linked') throw new VoxbatchError({ type: 'linked-out', path: found.path });
  if (found.type === 'taken') throw new VoxbatchError({ type: 'taken-out', out, by: found.by });
}
