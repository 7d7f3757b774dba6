import type { BatchView } from '../../batches/look/view-batch.ts';

/**
 * Start of the current work on a batch, ms: its first request, or its last reopening, so that idle days in between do
 * not count. `first`: its first request ever. Undefined if work has not begun.
 */
export function workSpan({
  startedAt,
  reopenedAt,
}: Pick<BatchView['batch'], 'startedAt' | 'reopenedAt'>):
  { readonly from: number; readonly first: number; readonly isReopened: boolean } | undefined {
  if (startedAt === null) return undefined;
  const isReopened = reopenedAt !== null && reopenedAt > startedAt;
  return { from: isReopened ? reopenedAt : startedAt, first: startedAt, isReopened };
}
