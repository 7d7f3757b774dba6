import { LedgerReadOnly } from '../ledger/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { VoxbatchError } from './problem.ts';

/** Whether a ledger can be written to. */
export type WritableFacts = Pick<Ledger, 'place' | 'readOnly'>;

/**
 * Throws {@link VoxbatchError} (`machine`) for a ledger that has moved, or into which another is being copied. Its database
 * refuses every write anyway; this says so before anything is begun.
 */
export function requireWritable({ place, readOnly }: WritableFacts): void {
  if (readOnly === undefined) return;
  throw new VoxbatchError({ type: 'machine', cause: new LedgerReadOnly(place, readOnly) });
}
