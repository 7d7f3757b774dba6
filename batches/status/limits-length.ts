import { MAX_SECONDS } from '../../contract/max-seconds.ts';
import { headerFor } from '../../inputs/header-names.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';

/**
 * Returns whether the manifest has the column `max_seconds`, which limits how long a result may play. If so, all rows
 * must be read to find results that play longer. In a file of its own, because it is loaded far more often than
 * `leftovers.ts`.
 */
export function limitsLength({ settings: { reading }, columns }: Pick<BatchRecord, 'settings' | 'columns'>): boolean {
  return columns.includes(headerFor(MAX_SECONDS, columns, reading));
}
