import type { BatchSettings } from '../../contract/batch.ts';
import { usesEarlierResults } from '../../contract/cache.ts';
import type { RowReasons } from '../../policy/plan/reason-groups.ts';

/**
 * Rows that may be charged a second time: another batch sent the same and lost the answer. Empty if earlier results are
 * not used anyway, or nothing is paid for.
 */
export function secondCharges({ again }: RowReasons, cache: BatchSettings['cache']): RowReasons['again']['groups'] {
  if (!usesEarlierResults(cache) || cache === 'only') return [];
  return again.groups.filter(({ reason }) => reason.type === 'again' && reason.ended === 'unknown');
}
