import { DEFAULT_TUNABLES } from '../../contract/tunables.ts';

/** Of a small batch's requests, one in so many is in flight at once. */
const SHARE = 4;
/** The first answer may be slow. */
const LEAST = 2;

/**
 * Paid requests in flight at once where nobody has said how many: a crash leaves at most a quarter of a small batch in doubt.
 * `requests`: what the batch sends at least, in rows and parts of rows.
 */
export function defaultSubmits(requests: number): number {
  return Math.min(DEFAULT_TUNABLES.limits.submits, Math.max(LEAST, Math.ceil(requests / SHARE)));
}
