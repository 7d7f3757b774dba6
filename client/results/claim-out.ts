import { probeOut, ownershipOf, claimOut as claim, type UnwritableOut } from '../../batches/out-folder.ts';
import type { CacheMode } from '../../contract/cache-modes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchIdentity } from '../../ledger/batches/batch-records.ts';
import { forgottenRequests } from '../../batches/reconcile/forgotten-requests.ts';
import type { OwnerLedger, OutOwnership } from '../../results/out-owner.ts';
import { VoxbatchError } from '../problem.ts';
import type { Settings } from '../settings.ts';

/**
 * Creates the batch's out folder and checks that it is writable, before anything is paid for. Throws {@link
 * VoxbatchError} (`unwritable-out`, `linked-out`).
 */
export async function requireWritableOut(out: string, batch: string): Promise<void> {
  refuse(out, await probeOut(out, batch));
}

/**
 * Checks that a batch's files would not overwrite the files of another batch or program. A folder of this very batch
 * passes, even if the ledger lacks the batch: see {@link refuseForgottenBatch}. Changes nothing. Throws {@link
 * VoxbatchError} (`taken-out`, `linked-out`).
 */
export async function requireOwnOut(out: string, batch: BatchIdentity, ledger: OwnerLedger): Promise<void> {
  refuse(out, await ownershipOf(out, batch, ledger));
}

/**
 * Refuses a new batch if the out folder or the store shows that it has run before: the ledger has lost it, as after a
 * restore, and would pay for its rows again. With the cache mode `only` nothing is sent, so such a batch is recorded
 * again. Throws {@link VoxbatchError} (`forgotten-batch`). Changes nothing. `out`: null for a single job, which has no
 * out folder. `batch`: undefined if the account is unknown. Without either, only the store is searched.
 */
export async function refuseForgottenBatch(
  { name, out, cache }: { readonly name: string; readonly out: string | null; readonly cache: CacheMode },
  batch: BatchIdentity | undefined,
  ledger: Ledger,
  place: Pick<Settings, 'store' | 'env'>,
): Promise<void> {
  if (cache === 'only') return;
  const isForgotten =
    out !== null && batch !== undefined && (await ownershipOf(out, batch, ledger)).type === 'forgotten';
  // The store is searched only for an accepted copy (a restored ledger): others have all batches of their store.
  if (!isForgotten && (await ledger.acceptedAt()) === null) return;
  // Seldom needed, so loaded here.
  const { findForgottenBatch } = await import('../ledger/forgotten-batch.ts');
  const found = await findForgottenBatch(name, isForgotten ? out : null, ledger, place);
  if (found !== undefined) throw new VoxbatchError({ type: 'forgotten-batch', ...found, isSingle: out === null });
}

/**
 * Claims the out folder for a batch; see `batches/out-folder.ts`. Throws {@link VoxbatchError} (`unwritable-out`,
 * `taken-out`, `linked-out`).
 */
export async function claimOut(out: string, batch: BatchIdentity, ledger: OwnerLedger): Promise<void> {
  refuse(out, await claim(out, batch, ledger));
}

/**
 * Checks that the ledger has all paid requests that the batch's out folder shows. A ledger restored from a backup may
 * lack some, and their rows would be paid for again. `isResubmitted`: unknown rows are to be paid for again, so it must
 * have the jobs of these, too. Changes nothing. Throws {@link VoxbatchError} (`forgotten-requests`, `unread-receipts`).
 */
export async function refuseForgottenRequests(
  out: string,
  { name: batch }: BatchIdentity,
  ledger: Ledger,
  isResubmitted = false,
): Promise<void> {
  const found = await forgottenRequests(out, batch, ledger, isResubmitted);
  if (found === undefined) return;
  if (found.rows.length > 0) throw new VoxbatchError({ type: 'forgotten-requests', batch, ...found });
  const { folders, unread } = found;
  if (unread !== undefined) throw new VoxbatchError({ type: 'unread-receipts', batch, folders, unread });
}

function refuse(out: string, found: OutOwnership | UnwritableOut | { readonly type: 'writable' }): void {
  if (found.type === 'unwritable') throw new VoxbatchError({ type: 'unwritable-out', out, cause: found.cause });
  if (found.type === 'linked') throw new VoxbatchError({ type: 'linked-out', path: found.path });
  if (found.type === 'taken') throw new VoxbatchError({ type: 'taken-out', out, by: found.by });
}
