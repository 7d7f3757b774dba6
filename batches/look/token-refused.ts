import type { BatchRecord } from '../../ledger/record-types.ts';

/**
 * True if the batch paused because the API refused a token. A process cannot change its token: with a refused one it can
 * neither send nor read, and would pause the batch again. So it leaves, and the next process brings a valid token.
 */
export function isTokenRefused({ control, pauseReason }: Pick<BatchRecord, 'control' | 'pauseReason'>): boolean {
  return control === 'paused' && pauseReason?.class === 'BadToken';
}
