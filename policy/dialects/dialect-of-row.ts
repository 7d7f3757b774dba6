import type { Dialect } from '../../contract/dialects.ts';
import { dialectsOf, type StepChoice } from '../../contract/row-kinds.ts';

/**
 * The dialect of a row, for good. If only a share of the rows speaks legacy, these are drawn by their ids: the same
 * rows in every batch, and with a larger share these and more. Rows of a kind that legacy lacks then stay on v1.
 *
 * @param legacyShare share of the rows that speak legacy, 0 to 1.
 * @returns undefined if the row has to speak legacy, and its kind cannot.
 */
export function dialectOfRow(row: StepChoice, id: string, legacyShare: number): Dialect | undefined {
  if (legacyShare <= 0) return 'v1';
  const isAble = dialectsOf(row).includes('legacy');
  if (legacyShare >= 1) return isAble ? 'legacy' : undefined;
  return isAble && placeOf(id) < legacyShare ? 'legacy' : 'v1';
}

/** Where an id stands between 0 and 1: anywhere, and always there (FNV-1a with a final mix). */
function placeOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
