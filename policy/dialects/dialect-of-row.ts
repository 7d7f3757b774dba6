import type { Dialect } from '../../contract/dialects.ts';
import { dialectsOf, type StepChoice } from '../../contract/row-kinds.ts';

/**
 * Chooses the dialect that a row records for all its requests. If only a share of the rows uses legacy, a hash of the
 * id selects them: the same rows in every batch, and with a larger share the same rows plus others. Rows whose kind
 * legacy lacks then stay on v1.
 *
 * @param legacyShare share of the rows that use legacy, 0 to 1.
 * @returns undefined if all rows must use legacy, and this row's kind cannot.
 */
export function dialectOfRow(row: StepChoice, id: string, legacyShare: number): Dialect | undefined {
  if (legacyShare <= 0) return 'v1';
  const canUseLegacy = dialectsOf(row).includes('legacy');
  if (legacyShare >= 1) return canUseLegacy ? 'legacy' : undefined;
  return canUseLegacy && hashToUnit(id) < legacyShare ? 'legacy' : 'v1';
}

/** Hashes an id to a number from 0 to 1 (FNV-1a with the final mix of MurmurHash3). Must never change. */
function hashToUnit(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
