/** How a schedule has done of late. */
export interface RecentOutcomes<Occurrence> {
  /** The newest occurrence that is over, or was skipped; undefined: there is none. */
  readonly newest: Occurrence | undefined;
  /** How many failed or were skipped since the last that ended. */
  readonly amissInARow: number;
}

/** Sums up occurrences, the newest first. */
export function recentOutcomes<Occurrence extends { readonly state: 'running' | 'ended' | 'failed' | 'skipped' }>(
  occurrences: readonly Occurrence[],
): RecentOutcomes<Occurrence> {
  const over = occurrences.filter(({ state }) => state !== 'running');
  const good = over.findIndex(({ state }) => state === 'ended');
  return { newest: over[0], amissInARow: good === -1 ? over.length : good };
}
