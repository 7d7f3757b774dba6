import type { RowSpec } from './row-kinds.ts';

/** The column with the length of the shot that a result has to fit into. Nothing is sent or refused by it. */
export const MAX_SECONDS = 'max_seconds';

/** Says by how much a result is longer than its row allows; undefined if it is not, or its length is unknown. */
export function overlongMessage(
  { [MAX_SECONDS]: most }: Pick<RowSpec, typeof MAX_SECONDS>,
  seconds: number | undefined,
): string | undefined {
  if (most === undefined || seconds === undefined || seconds <= most) return undefined;
  const plays = Math.max(Math.ceil((seconds - most) * 100), 1) / 100;
  return `It plays ${String(plays)} s longer than its ${MAX_SECONDS} (${String(most)} s).`;
}
