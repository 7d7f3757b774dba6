import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { VoxbatchError } from '../problem.ts';

/** Without what its rows asked for, a batch can neither be run again nor written. Throws {@link VoxbatchError} (`cleaned`). */
export function refuseCleaned(batch: BatchRecord): void {
  if (areRowsCleaned(batch)) throw new VoxbatchError({ type: 'cleaned', batch });
}
