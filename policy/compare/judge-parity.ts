import type { Step } from '../../contract/row-kinds.ts';
import type { Tolerances } from '../../contract/tolerances.ts';
import type { BatchParity, Spread } from './batch-parity.ts';
import type { Pair } from './row-parity.ts';

/** Decides whether two compared batches agree within the tolerances. */

/** A figure of two batches, and its tolerance; both are shares. `until`: the end of the measured latency. */
export interface Judgement {
  readonly of:
    | { readonly type: 'rows' | 'credits' }
    | { readonly type: 'latency'; readonly step: Step; readonly until: 'accepted' | 'finished' };
  readonly share: number;
  readonly tolerance: number;
  readonly isWithin: boolean;
}

/** The overall verdict. `unfinished`: nothing differs so far, but some rows have not ended. */
export type ParityVerdict = 'parity' | 'differs' | 'unfinished';

/** Judges each figure that has a tolerance, and gives the overall verdict. */
export function judgeParity(
  parity: BatchParity,
  tolerances: Tolerances,
): { readonly verdict: ParityVerdict; readonly judgements: readonly Judgement[] } {
  const { rows, credits, latency } = parity;
  const judgements = [
    judge({ type: 'rows' }, rows.compared === 0 ? 0 : rows.differing / rows.compared, tolerances.rows),
    judge({ type: 'credits' }, relativeDifference(credits.sums), tolerances.credits),
    ...latency.flatMap(({ step, accepted, finished }) => [
      judge({ type: 'latency', step, until: 'accepted' }, slowdown(accepted), tolerances.latency),
      judge({ type: 'latency', step, until: 'finished' }, slowdown(finished), tolerances.latency),
    ]),
  ].filter((one) => one !== undefined);
  if (judgements.some(({ isWithin }) => !isWithin)) return { verdict: 'differs', judgements };
  return { verdict: rows.open > 0 ? 'unfinished' : 'parity', judgements };
}

/** Returns undefined for a figure that is unknown or has no limit. */
function judge(of: Judgement['of'], share: number | undefined, tolerance: number): Judgement | undefined {
  if (share === undefined || tolerance === Infinity) return undefined;
  return { of, share, tolerance, isWithin: share <= tolerance };
}

/** Returns the difference of two sums as a share of the larger one. */
function relativeDifference([one, other]: Pair<number>): number {
  const larger = Math.max(one, other);
  return larger === 0 ? 0 : Math.abs(one - other) / larger;
}

/** Relative increase from the first median to the second; 0 if there is none. Undefined if one is missing. */
function slowdown([one, other]: Pair<Spread | null>): number | undefined {
  if (one === null || other === null) return undefined;
  return one.median === 0 ? 0 : Math.max(0, other.median / one.median - 1);
}
