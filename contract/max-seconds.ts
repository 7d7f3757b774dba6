import type { RowSpec } from './row-kinds.ts';

/** Column with the longest result that the user can place, in seconds. Requests lack it, and no row fails by it. */
export const MAX_SECONDS = 'max_seconds';

/**
 * Returns a sentence about how much a result exceeds its row's `max_seconds`; undefined if it does not, or if the
 * length is unknown.
 */
export function overlongMessage(
  { [MAX_SECONDS]: most }: Pick<RowSpec, typeof MAX_SECONDS>,
  seconds: number | undefined,
): string | undefined {
  if (most === undefined || seconds === undefined || seconds <= most) return undefined;
  const plays = Math.max(Math.ceil((seconds - most) * 100), 1) / 100;
  return `It plays ${String(plays)} s longer than its ${MAX_SECONDS} (${String(most)} s).`;
}
