import { byItself } from '../../contract/actions.ts';
import { isHeld } from '../database/copy-doubts.ts';
import { noteAction } from '../history/actions.ts';
import type { Tx } from '../schema.ts';
import { readBatchLine } from './read-batches.ts';
import { setBatch } from './set-batch.ts';

/**
 * Reopens a closed batch because one of its rows was reopened, e.g. by a late answer. No effect on an open batch. If
 * the ledger is a restored backup or another copy, and no person has resumed the batch since it was accepted (the batch
 * is *held*, see `database/copy-doubts.ts`), pauses it: what its row would send may have been sent already.
 */
export async function reopenClosed(tx: Tx, batch: string): Promise<void> {
  const { state, control } = await readBatchLine(tx, batch);
  if (state !== 'closed') return;
  const isPaused = control !== 'stopping' && (await isHeld(tx, batch));
  await setBatch(tx, batch, {
    state: 'open',
    closed_at: null,
    stop_now: 0,
    ...(isPaused && { control: 'paused', pause_reason: null }),
  });
  if (isPaused) await noteAction(tx, byItself(WHY_PAUSED), { kind: 'pause', batch });
}

const WHY_PAUSED =
  'it was opened again in a copy of the ledger that was accepted: what it would send may have been sent after the copy was made';
