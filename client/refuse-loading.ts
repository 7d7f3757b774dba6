import type { BatchRecord } from '../ledger/record-types.ts';
import { VoxbatchError } from './problem.ts';

/**
 * A batch whose rows are not all in the ledger cannot be steered: if its load is killed, it is loaded again from the
 * start, and a wish would be lost. Throws {@link VoxbatchError} (`loading`).
 */
export function refuseLoading(batch: BatchRecord): void {
  if (batch.state === 'loading') throw new VoxbatchError({ type: 'loading', batch });
}
