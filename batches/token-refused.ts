import type { BatchRecord } from '../ledger/record-types.ts';

/**
 * True for a batch that paused because the API refused a token. A process cannot change its own: whoever works with a refused one
 * can neither go on nor read, and would pause the batch again; so it leaves, and the next one brings a token that works.
 */
export function isTokenRefused({ control, pauseReason }: Pick<BatchRecord, 'control' | 'pauseReason'>): boolean {
  return control === 'paused' && pauseReason?.class === 'BadToken';
}
