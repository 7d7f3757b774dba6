import { MAX_SECONDS } from '../../contract/max-seconds.ts';
import { headerFor } from '../../inputs/header-names.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';

/**
 * Whether rows of a batch may say how long their results may be: then all have to be read to find those that are
 * longer.
 */
export function limitsLength({ settings: { reading }, columns }: Pick<BatchRecord, 'settings' | 'columns'>): boolean {
  return columns.includes(headerFor(MAX_SECONDS, columns, reading));
}
